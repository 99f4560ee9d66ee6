export { logIn } from "./authorize-in-browser.ts";
export { forgetLogin, type LoginState, listLogins, logInTo } from "./log-in.ts";
