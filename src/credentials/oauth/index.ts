export { authorisedFetch, withSignal } from "./authorised-fetch.ts";
export {
  type AuthorizationServer,
  clientFor,
  findAuthorizationServer,
  metadataFetch,
  type ProtectedServer,
} from "./authorization-server.ts";
export { createBoundKey, isBound, sessionWith } from "./bound-key.ts";
export {
  AuthorizationFailure,
  type Challenge,
  LoginChanged,
  type OauthCredential,
  scopesOf,
  tokenNotBound,
} from "./credential.ts";
export {
  fromTokens,
  type Login,
  type LoginClient,
  type LoginStore,
  LoginStoreError,
  refusalIn,
  toClientInformation,
} from "./login.ts";
export { LoginFile } from "./login-file.ts";
export { LoginGrant } from "./login-grant.ts";
export { oauthOfSource } from "./oauth-of-source.ts";
