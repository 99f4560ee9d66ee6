export { createMcpSource, type McpSource } from "./mcp-source.ts";
export { ClientGrant } from "./oauth/client-grant.ts";
export { AuthorizationFailure, type OauthCredential } from "./oauth/credential.ts";
export { type LogInOptions, logIn } from "./oauth/log-in.ts";
export {
  type Login,
  type LoginClient,
  type LoginStore,
  LoginStoreError,
  loginFrom,
} from "./oauth/login.ts";
export { LoginGrant } from "./oauth/login-grant.ts";
export { type McpSourceOptions, TOKEN } from "./options.ts";
