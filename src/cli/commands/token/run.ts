import { type NewIdentity, newIdentity } from "../../../operator/configuration/index.ts";
import { type Invocation, UsageError } from "../../command.ts";

/** Creates a token and prints it, with the place of its hash and how a client sends it. */
export function printToken(
  { arguments: given, options, switches, terminal }: Invocation,
  usualId: string,
): void {
  const scopes = (options.scopes ?? "").split(",").map((scope) => scope.trim());
  const identity = newIdentity(
    given.id ?? usualId,
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
