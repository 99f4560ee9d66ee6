import type { LoadedConfig } from "./config/index.ts";

/** Who logs in where. */
export interface LogInToOptions {
  readonly loaded: LoadedConfig;
  readonly source: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Instead of those of the configuration. */
  readonly scopes?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** Shows the address to open. */
  readonly show: (address: URL) => void;
}

/** How a login fares; never its tokens. */
export interface LoginState {
  readonly source: string;
  /** When the token ends that is used now, in milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly isRenewable: boolean;
  readonly issuer: string | undefined;
  readonly scopes: readonly string[];
  /** Why it cannot be used, if that is so. */
  readonly problem: string | undefined;
}
