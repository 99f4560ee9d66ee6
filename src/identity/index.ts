export { checkIdentities, type IdentityProblem, type TokenIdentity } from "./check-identities.ts";
export { type CheckedIssuer, checkIssuers, type IssuerProblem } from "./check-issuers.ts";
export { ALGORITHMS, ISSUER_NAME_PATTERN, type Issuer, nameOfIssuer } from "./issuer.ts";
export type { FetchDocument } from "./issuer-metadata.ts";
export { createIssuerResolver, type IssuerResolver, type IssuerResolverOptions } from "./issuer-resolver.ts";
export { resolveInTurn } from "./resolve-in-turn.ts";
export { hashToken, newToken, TOKEN_HASH_PATTERN } from "./token.ts";
export { createTokenResolver } from "./token-resolver.ts";
