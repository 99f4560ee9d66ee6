export { authorisedFetch } from "./authorised-fetch.ts";
export {
  type AuthorizationServer,
  findAuthorizationServer,
  metadataFetch,
  type Search,
} from "./authorization-server.ts";
export { ClientCredentials, type ClientSecret } from "./client-credentials.ts";
export { clientFor } from "./client-for.ts";
export { ClientGrant } from "./client-grant.ts";
export { AuthorizationFailure, type Challenge, LoginChanged, type OauthCredential } from "./credential.ts";
export { type Login, type LoginClient, type LoginStore, LoginStoreError } from "./login.ts";
export { LoginFile } from "./login-file.ts";
export { LoginGrant } from "./login-grant.ts";
export { oauthOfSource } from "./oauth-of-source.ts";
export { scopesOf } from "./scopes.ts";
export { clientInformation, fromTokens, refusalIn } from "./token-answer.ts";
export { withSignal } from "./with-signal.ts";
