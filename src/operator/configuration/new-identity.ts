import { checkIdentities, newToken } from "../../identity/index.ts";

/** An entry of `identities` in pinhole.yaml, with its token. The token is shown once and not kept. */
export interface NewIdentity {
  readonly id: string;
  readonly token: string;
  readonly tokenHash: string;
  readonly scopes: readonly string[];
}

/** Creates an identity with a token of its own, or says what is wrong with the id or the scopes. */
export function newIdentity(
  id: string,
  scopes: readonly string[] = [],
): NewIdentity | { readonly problem: string } {
  const identity = { id, ...newToken(), scopes };
  const [problem] = checkIdentities([identity]);
  return problem ? { problem: problem.message } : identity;
}
