import { checkIdentities, newToken } from "../../identity/index.ts";
import { type Command, type Invocation, UsageError } from "../command.ts";

const USUAL_ID = "agent";

/** `pinhole token`: makes a token, and says where its hash goes and how a client sends it. */
export const token: Command = {
  name: "token",
  summary: "Makes a token for a client.",
  description:
    "Prints a new token once and the lines for pinhole.yaml. The configuration holds only the hash, so a " +
    "lost token cannot be shown again: make another one.",
  examples: [
    { line: "pinhole token ci", meaning: "Makes a token for whoever is called ci." },
    { line: "pinhole token ci --scopes github,pets", meaning: "Allows it what needs these scopes." },
    { line: "pinhole token ci --json", meaning: "Answers as JSON, for scripts." },
  ],
  arguments: [{ name: "id", description: `Who holds the token: the name in the log. Default: ${USUAL_ID}` }],
  options: {
    scopes: { value: "LIST", description: "What the holder may do: scopes, separated by commas." },
    json: { description: "Prints JSON." },
  },
  run: printToken,
};

interface Holder {
  readonly id: string;
  readonly token: string;
  readonly tokenHash: string;
  readonly scopes: readonly string[];
}

function printToken({ arguments: given, options, switches, terminal }: Invocation): void {
  const holder: Holder = {
    id: given.id ?? USUAL_ID,
    ...newToken(),
    scopes: (options.scopes ?? "")
      .split(",")
      .map((scope) => scope.trim())
      .filter((scope) => scope !== ""),
  };
  const [problem] = checkIdentities([holder]);
  if (problem) throw new UsageError(problem.message);
  terminal.print(switches.has("json") ? JSON.stringify(holder, null, 2) : explain(holder));
}

/** JSON texts are YAML texts, so quoting as JSON holds for any id. */
function explain({ id, token, tokenHash, scopes }: Holder): string {
  return `The token, shown this once; keep it like a password:

  ${token}

For pinhole.yaml, under identities:

  identities:
    - id: ${JSON.stringify(id)}
      tokenHash: ${JSON.stringify(tokenHash)}
      scopes: [${scopes.map((scope) => JSON.stringify(scope)).join(", ")}]

A client sends it with each request, as a header:

  Authorization: Bearer ${token}
`;
}
