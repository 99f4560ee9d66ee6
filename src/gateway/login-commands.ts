import type { LoadedConfig } from "./config/index.ts";
import type { LogInToOptions, LoginState } from "./login-state.ts";

/** Has somebody log in to a source with a browser. What MCP needs is loaded only now. */
export async function logInTo(options: LogInToOptions): Promise<LoginState> {
  return (await import("./logins/index.ts")).logInTo(options);
}

/** The logins that are kept, by source. */
export async function listLogins(loaded: LoadedConfig): Promise<readonly LoginState[]> {
  return (await import("./logins/index.ts")).listLogins(loaded);
}

/** Forgets the login of a source; answers whether there was one. */
export async function forgetLogin(loaded: LoadedConfig, source: string): Promise<boolean> {
  return (await import("./logins/index.ts")).forgetLogin(loaded, source);
}
