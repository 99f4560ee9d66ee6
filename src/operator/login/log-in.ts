import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { definitionOf, sourceIn } from "../../adapters/index.ts";
import { ConfigError, type LoadedConfig, packageVersion } from "../../config/index.ts";
import { ImportError, messageOf, nearest } from "../../core/index.ts";
import { type FindSecret, resolveSourceSecrets } from "../../credentials/index.ts";
import {
  AuthorizationFailure,
  type Login,
  LoginFile,
  LoginStoreError,
} from "../../credentials/oauth/index.ts";
import { createOutbound, OutboundError } from "../../outbound/index.ts";
import { logIn } from "./authorize-in-browser.ts";

interface LogInToOptions {
  readonly loaded: LoadedConfig;
  readonly source: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Override the scopes of the configuration. */
  readonly scopes?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** Shows the address to open. */
  readonly show: (address: URL) => void;
}

/** State of a login, without its tokens. */
export interface LoginState {
  readonly source: string;
  /** Expiry of the current token, in milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly isRenewable: boolean;
  readonly issuer: string | undefined;
  readonly scopes: readonly string[];
  /** The reason why it cannot be used, if there is one. */
  readonly problem: string | undefined;
}

/** Lets a person log in to a source with a browser. */
export async function logInTo(options: LogInToOptions): Promise<LoginState> {
  const { loaded, source, env, scopes, signal, show } = options;
  const { config } = loaded;
  const found = sourceIn(config, source) ?? unknownSource(source, Object.keys(config.sources));
  if (found.kind !== "mcp") throw new ConfigError(`${source} needs no login. Only MCP servers have one.`);
  const { oauth, mcp, allowPrivate } = found;
  if (!oauth)
    throw new ConfigError(
      `${source} needs no login. Write oauth: {} under sources.${source} if its server wants one.`,
    );
  if (oauth.grant !== "authorization_code")
    throw new ConfigError(
      `${source} needs no login: the gateway gets its tokens by itself (${oauth.grant}).`,
    );
  const secretsOf = (find: FindSecret) => definitionOf(found).secrets(found, find);
  const { oauth: secrets } = resolveSourceSecrets(source, secretsOf, { ...loaded, env });
  const outbound = createOutbound({ allowPrivate });
  try {
    const login = await logIn({
      name: source,
      server: new URL(mcp),
      issuer: oauth.issuer,
      outbound,
      store: new LoginFile(loginsDirectory(loaded), source),
      client:
        oauth.clientId === undefined
          ? undefined
          : { clientId: oauth.clientId, clientSecret: secrets?.clientSecret },
      dpop: oauth.dpop,
      scopes: scopes ?? oauth.scopes,
      redirectPort: oauth.redirectPort,
      version: packageVersion(),
      signal,
      show,
    });
    return stateOf(source, login);
  } catch (error) {
    throw understandable(error);
  } finally {
    await outbound.close();
  }
}

/** All stored logins. */
export async function listLogins(loaded: LoadedConfig): Promise<readonly LoginState[]> {
  const directory = loginsDirectory(loaded);
  const files = await readdir(directory).catch(() => []);
  const sources = files
    .filter((file) => /^[A-Za-z0-9_].*\.json$/.test(file))
    .map((file) => file.slice(0, -5));
  const states = sources.sort().map(async (source) => {
    try {
      const login = await new LoginFile(directory, source).read();
      return login ? [stateOf(source, login, loaded)] : [];
    } catch (error) {
      const problem = messageOf(error);
      return [{ source, problem, expiresAt: undefined, isRenewable: false, issuer: undefined, scopes: [] }];
    }
  });
  return (await Promise.all(states)).flat();
}

/** Deletes the login of a source; false if there was none. */
export async function forgetLogin(loaded: LoadedConfig, source: string): Promise<boolean> {
  // An invalid name could escape the directory.
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(source)) return false;
  return new LoginFile(loginsDirectory(loaded), source).forget();
}

function loginsDirectory({ config, directory }: LoadedConfig): string {
  return resolve(directory, config.logins.directory);
}

function stateOf(source: string, login: Login, loaded?: LoadedConfig): LoginState {
  const { expiresAt, refreshToken, issuer, scopes, server } = login;
  const named = loaded && sourceIn(loaded.config, source);
  const wanted = named ? (named.kind === "mcp" ? named.mcp : undefined) : server;
  const isUsed = wanted !== undefined && URL.parse(wanted)?.href === server;
  const problem = isUsed ? undefined : "no source of the configuration uses it";
  return {
    source,
    expiresAt,
    isRenewable: refreshToken !== undefined,
    issuer: addressOf(issuer),
    scopes,
    problem,
  };
}

/** Only the address: a server may have put anything else into its name. */
function addressOf(issuer: string): string | undefined {
  const url = URL.parse(issuer);
  return url ? `${url.origin}${url.pathname === "/" ? "" : url.pathname}` : undefined;
}

function unknownSource(source: string, names: readonly string[]): never {
  const [close] = nearest(source, names, 1);
  const known = names.length === 0 ? "There are none." : `There are ${names.join(", ")}.`;
  throw new ConfigError(
    `There is no source ${JSON.stringify(source)}. ${close === undefined ? known : `Did you mean ${close}?`}`,
  );
}

/** Maps an error to one with a message for people. */
function understandable(error: unknown): unknown {
  if (error instanceof AuthorizationFailure || error instanceof LoginStoreError)
    return new ImportError("UNAUTHORIZED", error.message, error);
  const cause = error instanceof TypeError ? error.cause : error;
  return cause instanceof OutboundError ? new ImportError("TRANSPORT", cause.message, cause) : error;
}
