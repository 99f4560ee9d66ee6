export { checkIdentities, type IdentityProblem, type TokenIdentity } from "./check-identities.ts";
export { hashToken, newToken, TOKEN_HASH_PATTERN } from "./token.ts";
export { createTokenResolver } from "./token-resolver.ts";
