import { checkIdentities, newToken } from "../../../identity/index.ts";
import { type Invocation, UsageError } from "../../command.ts";

interface Holder {
  readonly id: string;
  readonly token: string;
  readonly tokenHash: string;
  readonly scopes: readonly string[];
}

/** Creates a token and prints it, with the place of its hash and how a client sends it. */
export function printToken(
  { arguments: given, options, switches, terminal }: Invocation,
  usualId: string,
): void {
  const holder: Holder = {
    id: given.id ?? usualId,
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

As soon as an identity is there, callers without a token are refused, unless access.anonymous is true.

A client sends it with each request, as a header:

  Authorization: Bearer ${token}
`;
}
