export { checkIdentities, checkIssuers, TOKEN_HASH_PATTERN } from "./check.ts";
export { ALGORITHMS, ISSUER_NAME_PATTERN, nameOfIssuer } from "./issuer.ts";
export type { FetchDocument } from "./issuer-keys.ts";
export { createIssuerResolver, type IssuerResolver } from "./issuer-resolver.ts";
export { createTokenResolver, hashToken, newToken, resolveInTurn } from "./token.ts";
