import type { NewIdentity } from "../../../operator/configuration/index.ts";
import { type Command, type Invocation, UsageError } from "../../command.ts";

const USUAL_ID = "agent";

/** `pinhole token`: creates a token, and says where its hash goes and how a client sends it. */
export const token: Command = {
  name: "token",
  summary: "Creates a token for a client.",
  description:
    "Prints a new token once and the lines for pinhole.yaml. The configuration holds only the hash, so a " +
    "lost token cannot be shown again: make another one.",
  examples: [
    { line: "pinhole token ci", meaning: "Creates a token with the name ci." },
    { line: "pinhole token ci --scopes github,pets", meaning: "Grants it these scopes." },
    { line: "pinhole token ci --json", meaning: "Answers as JSON, for scripts." },
  ],
  arguments: [
    {
      name: "id",
      description: `Name of the token's holder in the log. Default: ${USUAL_ID}`,
      optional: true,
    },
  ],
  options: {
    scopes: { value: "LIST", description: "Scopes of the holder, separated by commas." },
    json: { description: "Prints JSON." },
  },
  run: printToken,
};

async function printToken({ arguments: given, options, switches, terminal }: Invocation): Promise<void> {
  const { newIdentity } = await import("../../../operator/configuration/index.ts");
  const scopes = (options.scopes ?? "").split(",").map((scope) => scope.trim());
  const identity = newIdentity(
    given.id ?? USUAL_ID,
    scopes.filter((scope) => scope !== ""),
  );
  if ("problem" in identity) throw new UsageError(identity.problem);
  terminal.print(switches.has("json") ? JSON.stringify(identity, null, 2) : explain(identity));
}

/** JSON texts are YAML texts, so quoting as JSON holds for any id. */
function explain({ id, token, tokenHash, scopes }: NewIdentity): string {
  return `The token, shown this once; keep it like a password:

  ${token}

For pinhole.yaml, under identities:

  identities:
    - id: ${JSON.stringify(id)}
      tokenHash: ${JSON.stringify(tokenHash)}
      scopes: [${scopes.map((scope) => JSON.stringify(scope)).join(", ")}]

As soon as an identity is there, callers without a token are refused, unless access.anonymous is true.

A client sends it with each request, as a header:

  Authorization: Bearer ${token}
`;
}
