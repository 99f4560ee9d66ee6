import { type DpopSession, refreshAuthorization } from "@modelcontextprotocol/client";
import { type Log, messageOf } from "../../core/index.ts";
import type { OnSecrets } from "../index.ts";
import {
  findAuthorizationServer,
  metadataFetch,
  metadataOf,
  type ProtectedServer,
} from "./authorization-server.ts";
import { type BoundKey, isBound, sessionWith } from "./bound-key.ts";
import {
  AuthorizationFailure,
  areAmong,
  boundTokenRefused,
  type Challenge,
  type HeldToken,
  type OauthCredential,
  scopesOf,
  tokenNotBound,
} from "./credential.ts";
import {
  fromTokens,
  isDue,
  isOver,
  type Login,
  type LoginClient,
  type LoginStore,
  LoginStoreError,
  refusalIn,
  toClientInformation,
} from "./login.ts";

const FORCED_PAUSE_MS = 30_000;
const FAILED_PAUSE_MS = 5_000;

interface LoginGrantOptions extends ProtectedServer {
  readonly store: LoginStore;
  /** The configured client, if it did not register itself. */
  readonly client: LoginClient | undefined;
  /** Only a login whose tokens are bound to a key is accepted. */
  readonly dpop?: boolean | undefined;
  readonly log: Log;
  readonly onSecrets?: OnSecrets | undefined;
}

/**
 * Tokens of a login, renewed as long as the authorization server allows it. After that every request fails with advice
 * until there is a new login, which is noticed by itself.
 */
export class LoginGrant implements OauthCredential {
  readonly #options: LoginGrantOptions;
  #login: Login | undefined;
  #renewing: Promise<Login> | undefined;
  /** The last access token of a login that has ended, and the reason. */
  #end: { readonly token: string; readonly failure: AuthorizationFailure } | undefined;
  #forcedAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;
  #proving: { readonly login: string; readonly session: Promise<DpopSession> } | undefined;

  constructor(options: LoginGrantOptions) {
    this.#options = options;
  }

  /** Reads the stored login again; true if it is another one. */
  async reread(): Promise<boolean> {
    const before = this.#login?.id;
    return this.#take(await this.#options.store.read())?.id !== before;
  }

  async token(): Promise<HeldToken> {
    const login = await this.#current();
    const now = Date.now();
    if (isOver(login, now)) return this.#held(await this.#renew(login, undefined));
    // In the background: no request waits while the old token is valid, least of all when the authorization server is down.
    if (isDue(login, now) && performance.now() >= this.#notBefore)
      this.#renew(login, undefined).catch(() => {
        this.#notBefore = performance.now() + FAILED_PAUSE_MS;
      });
    return this.#held(login);
  }

  async renew(refused: HeldToken | undefined, challenge: Challenge): Promise<HeldToken> {
    // There may be a new login by now.
    this.#login = undefined;
    const login = await this.#current();
    if (refused?.token !== login.accessToken) return this.#held(login);
    if (challenge.lacksScopes) throw this.giveUp(challenge);
    // If the server refuses every token, not every call may request a new one.
    const isSoon = !this.#renewing && performance.now() - this.#forcedAt < FORCED_PAUSE_MS;
    if (isSoon) throw this.giveUp(challenge);
    this.#forcedAt = performance.now();
    return this.#held(await this.#renew(login, challenge));
  }

  giveUp(challenge: Challenge): AuthorizationFailure {
    const { name } = this.#options;
    const { lacksScopes, scopes } = challenge;
    const ofKey = boundTokenRefused(name, challenge, this.#login?.key !== undefined);
    if (ofKey) return ofKey;
    const asked = this.#login?.scopes ?? [];
    // Not for good: the next look at the source tries again.
    if (!lacksScopes) return this.#loginNeeded("the server refuses the login");
    if (areAmong(scopes, asked))
      return new AuthorizationFailure(
        `${name}: the login lacks scopes that are needed, although they were asked for (${scopes.join(" ")}). The operator of the server decides who gets them.`,
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
    const { accessToken, refreshToken, client, key } = this.#login ?? {};
    const all = [accessToken, refreshToken, key?.d, client?.clientSecret, this.#options.client?.clientSecret];
    return all.filter((secret) => secret !== undefined);
  }

  async #held(login: Login): Promise<HeldToken> {
    const { accessToken, id } = login;
    return { token: accessToken, login: id, ...(login.key && { dpop: await this.#session(id, login.key) }) };
  }

  /** One for each login, because it remembers the nonces of the servers. */
  #session(id: string, key: BoundKey): Promise<DpopSession> {
    if (this.#proving?.login !== id) this.#proving = { login: id, session: sessionWith(key) };
    return this.#proving.session;
  }

  /** The current login. After its end it is read each time: there may be a new one. */
  async #current(): Promise<Login> {
    const { name, store, server, client, dpop } = this.#options;
    const login =
      this.#login && !this.#end
        ? this.#login
        : this.#take(await store.read().catch((error) => this.#unkept(error)));
    if (!login) throw this.#finish(this.#loginNeeded("there is no login yet"));
    if (login.server !== server.href)
      throw this.#finish(this.#loginNeeded(`the login is for another address than that of ${name}`));
    if (client && !isUsableWith(client, login))
      throw this.#finish(this.#loginNeeded("the login was made with another clientId"));
    if (dpop && !login.key) throw this.#finish(this.#loginNeeded("the login was made without dpop"));
    if (this.#end?.token === login.accessToken) throw this.#end.failure;
    if (this.#end) this.#forcedAt = Number.NEGATIVE_INFINITY;
    this.#end = undefined;
    return login;
  }

  #take(login: Login | undefined): Login | undefined {
    this.#login = login;
    if (login) this.#options.onSecrets?.(this.secrets());
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
    if (!latest) throw this.#finish(this.#loginNeeded("the login was removed"));
    // Another process may have renewed it; using a refresh token twice would end the login.
    if (latest.accessToken !== seen.accessToken && !isDue(latest, Date.now())) {
      this.#take(latest);
      return latest;
    }
    const renewed = { ...latest, ...(await this.#refresh(latest, challenge)) };
    this.#take(renewed);
    await save(renewed).catch((error: unknown) =>
      log.error("A renewed login cannot be stored, so it ends with this process", {
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
      // Nothing is sent to the old one, which may no longer belong to the server.
      if (now.issuer !== issuer) throw this.#loginNeeded("the server has changed its authorization server");
    }
    if (refreshToken === undefined) throw end("the login has ended, and there is no refresh token");
    const metadata = await metadataOf({ name, issuer, outbound });
    try {
      const tokens = await refreshAuthorization(issuer, {
        metadata,
        refreshToken,
        clientInformation: toClientInformation(this.#clientOf(login)),
        ...(login.key && { dpop: await this.#session(login.id, login.key) }),
        ...(resource !== undefined && { resource }),
        fetchFn: metadataFetch(outbound),
      });
      if (login.key && !isBound(tokens)) throw tokenNotBound(name);
      return fromTokens(tokens, Date.now());
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      throw end(`the authorization server does not renew the login (${refusal})`);
    }
  }

  /** A stored client has no secret if the secret is configured. */
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

  /** Remembers that the login has ended. */
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

/** A client whose id is a URL may have registered itself at a server that does not read the URL. */
function isUsableWith({ clientId }: LoginClient, { client }: Login): boolean {
  return clientId === client.clientId || URL.parse(clientId)?.protocol === "https:";
}
