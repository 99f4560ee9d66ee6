import { refreshAuthorization } from "@modelcontextprotocol/client";
import { type Log, messageOf } from "../../core/index.ts";
import {
  findAuthorizationServer,
  metadataFetch,
  metadataOf,
  type ProtectedServer,
} from "./authorization-server.ts";
import {
  AuthorizationFailure,
  areAmong,
  type Challenge,
  type HeldToken,
  type OauthCredential,
  scopesOf,
} from "./credential.ts";
import {
  clientInformation,
  fromTokens,
  isDue,
  isOver,
  type Login,
  type LoginClient,
  type LoginStore,
  LoginStoreError,
  refusalIn,
} from "./login.ts";

const FORCED_PAUSE_MS = 30_000;
const FAILED_PAUSE_MS = 5_000;

/** What the tokens of a login are used with. */
interface LoginGrantOptions extends ProtectedServer {
  readonly store: LoginStore;
  /** The client, where it is configured and did not register itself. */
  readonly client: LoginClient | undefined;
  readonly log: Log;
}

/**
 * Tokens that somebody got by logging in, renewed as long as the authorization server does that. When it does not any
 * more, everything fails with what to do until somebody has logged in anew, which is noticed by itself.
 */
export class LoginGrant implements OauthCredential {
  readonly #options: LoginGrantOptions;
  #login: Login | undefined;
  #renewing: Promise<Login> | undefined;
  /** The access token after which there is none, and why. */
  #end: { readonly token: string; readonly failure: AuthorizationFailure } | undefined;
  #forcedAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(options: LoginGrantOptions) {
    this.#options = options;
  }

  /** Looks at the kept login again; answers whether it is another one. */
  async reread(): Promise<boolean> {
    const before = this.#login?.id;
    this.#login = await this.#options.store.read();
    return this.#login?.id !== before;
  }

  async token(): Promise<HeldToken> {
    const login = await this.#current();
    const now = Date.now();
    if (isOver(login, now)) return held(await this.#renew(login, undefined));
    // Nobody waits for a new one while the old one is good, least of all when the authorization server is down.
    if (isDue(login, now) && performance.now() >= this.#notBefore)
      this.#renew(login, undefined).catch(() => {
        this.#notBefore = performance.now() + FAILED_PAUSE_MS;
      });
    return held(login);
  }

  async renew(refused: HeldToken | undefined, challenge: Challenge): Promise<HeldToken> {
    // Somebody may have logged in just now.
    this.#login = undefined;
    const login = await this.#current();
    if (refused?.token !== login.accessToken) return held(login);
    if (challenge.lacksScopes) throw this.giveUp(challenge);
    // A server that refuses whatever it is shown must not have every call get a new token.
    const isSoon = !this.#renewing && performance.now() - this.#forcedAt < FORCED_PAUSE_MS;
    if (isSoon) throw this.giveUp(challenge);
    this.#forcedAt = performance.now();
    return held(await this.#renew(login, challenge));
  }

  giveUp({ lacksScopes, scopes }: Challenge): AuthorizationFailure {
    const { name } = this.#options;
    const asked = this.#login?.scopes ?? [];
    // Not for good: it is asked again when the source is looked at again.
    if (!lacksScopes) return this.#loginNeeded("the server refuses the login");
    if (areAmong(scopes, asked))
      return new AuthorizationFailure(
        `${name}: the login lacks scopes that are needed, although they were asked for (${scopes.join(" ")}). Whoever runs the server decides who gets them.`,
        false,
      );
    const wanted = scopesOf(asked, scopes);
    return new AuthorizationFailure(
      `${name}: the login lacks scopes. The operator of this gateway can get them: pinhole login ${name} --scopes "${wanted.join(" ")}"`,
      true,
      { scopes: wanted },
    );
  }

  secrets(): readonly string[] {
    const { accessToken, refreshToken, client } = this.#login ?? {};
    const all = [accessToken, refreshToken, client?.clientSecret, this.#options.client?.clientSecret];
    return all.filter((secret) => secret !== undefined);
  }

  /** The login that counts now. One that has ended is looked up each time: there may be another. */
  async #current(): Promise<Login> {
    const { name, store, server, client } = this.#options;
    if (!this.#login || this.#end) this.#login = await store.read().catch((error) => this.#unkept(error));
    const login = this.#login;
    if (!login) throw this.#finish(this.#loginNeeded("nobody has logged in yet"));
    if (login.server !== server.href)
      throw this.#finish(this.#loginNeeded(`the login is for another address than that of ${name}`));
    if (client && !isUsableWith(client, login))
      throw this.#finish(this.#loginNeeded("the login was made with another clientId"));
    if (this.#end?.token === login.accessToken) throw this.#end.failure;
    if (this.#end) this.#forcedAt = Number.NEGATIVE_INFINITY;
    this.#end = undefined;
    return login;
  }

  #renew(login: Login, challenge: Challenge | undefined): Promise<Login> {
    this.#renewing ??= this.#options.store
      .exclusively((latest, save) => this.#renewNow(latest, { seen: login, challenge, save }))
      .catch((error) => this.#unkept(error))
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #renewNow(latest: Login | undefined, { seen, challenge, save }: Renewing): Promise<Login> {
    const { log, name } = this.#options;
    if (!latest) throw this.#finish(this.#loginNeeded("nobody is logged in any more"));
    // Another process may have been faster; to use a refresh token twice would end the login.
    if (latest.accessToken !== seen.accessToken && !isDue(latest, Date.now())) {
      this.#login = latest;
      return latest;
    }
    const renewed = { ...latest, ...(await this.#refresh(latest, challenge)) };
    this.#login = renewed;
    await save(renewed).catch((error: unknown) =>
      log.error("A renewed login cannot be kept, so that it ends with this process", {
        source: name,
        reason: messageOf(error),
      }),
    );
    return renewed;
  }

  async #refresh(login: Login, challenge: Challenge | undefined) {
    const { name, outbound } = this.#options;
    const { issuer, refreshToken, resource } = login;
    const end = (why: string) => this.#finish(this.#loginNeeded(why), login);
    if (challenge) {
      const now = await findAuthorizationServer(this.#options, challenge);
      // Nothing is sent to the old one, which may have nothing to do with the server any more.
      if (now.issuer !== issuer) throw this.#loginNeeded("the server has changed its authorization server");
    }
    if (refreshToken === undefined) throw end("the login has ended, and there is no refresh token");
    const metadata = await metadataOf({ name, issuer, outbound });
    try {
      const tokens = await refreshAuthorization(issuer, {
        metadata,
        refreshToken,
        clientInformation: clientInformation(this.#clientOf(login)),
        ...(resource !== undefined && { resource }),
        fetchFn: metadataFetch(outbound),
      });
      return fromTokens(tokens, Date.now());
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      throw end(`the authorization server does not renew the login (${refusal})`);
    }
  }

  /** The kept one has no secret where that is configured. */
  #clientOf({ client }: Login): LoginClient {
    const configured = this.#options.client;
    return configured?.clientId === client.clientId ? configured : client;
  }

  #loginNeeded(why: string): AuthorizationFailure {
    const { name } = this.#options;
    return new AuthorizationFailure(
      `${name}: ${why}. The operator of this gateway should run: pinhole login ${name}`,
      true,
    );
  }

  #unkept(error: unknown): never {
    if (!(error instanceof LoginStoreError)) throw error;
    throw new AuthorizationFailure(`${this.#options.name}: ${error.message}`, false, { cause: error });
  }

  /** Remembers that there is no token any more. */
  #finish(failure: AuthorizationFailure, login = this.#login): AuthorizationFailure {
    this.#end = { token: login?.accessToken ?? "", failure };
    return failure;
  }
}

interface Renewing {
  readonly seen: Login;
  readonly challenge: Challenge | undefined;
  readonly save: (login: Login) => Promise<void>;
}

function held({ accessToken, id }: Login): HeldToken {
  return { token: accessToken, login: id };
}

/** Where a client describes itself at an address that its authorization server does not look at, it has registered itself. */
function isUsableWith({ clientId }: LoginClient, { client }: Login): boolean {
  return clientId === client.clientId || URL.parse(clientId)?.protocol === "https:";
}
