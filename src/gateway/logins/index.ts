export { forgetLogin, listLogins, logInTo } from "./log-in.ts";
export { LoginFile } from "./login-file.ts";
export { type OauthSource, oauthOfSource, type SourceOauth } from "./oauth-of-source.ts";
