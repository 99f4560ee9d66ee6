import { CallError } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { findAuthorizationServer, type Search } from "./authorization-server.ts";
import { ClientCredentials, type ClientSecret } from "./client-credentials.ts";
import {
  AuthorizationFailure,
  areAmong,
  type Challenge,
  type HeldToken,
  type OauthCredential,
  scopesOf,
} from "./credential.ts";

/** How long scopes that were refused are not asked for again. */
const IN_VAIN_MS = 30_000;

/** An account of the gateway's own at an authorization server. */
interface ClientGrantOptions extends Search {
  readonly outbound: Pick<Outbound, "fetch" | "send">;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Instead of those that the server names. */
  readonly scopes: readonly string[];
}

/** Tokens by client credentials. The first request goes without: the refusal says where tokens are to be had. */
export class ClientGrant implements OauthCredential {
  readonly #options: ClientGrantOptions;
  readonly #tokens: ClientCredentials;
  #secret: ClientSecret | undefined;
  #issuer: string | undefined;
  #latest: string | undefined;
  #inVain = { scopes: "", until: 0 };
  #renewing: Promise<unknown> = Promise.resolve();

  constructor(options: ClientGrantOptions) {
    this.#options = options;
    this.#tokens = new ClientCredentials(options.outbound);
  }

  async token(): Promise<HeldToken | undefined> {
    return this.#secret && this.#get(this.#secret);
  }

  /** One at a time: most refusals of one moment are about the same token. */
  renew(refused: HeldToken | undefined, challenge: Challenge): Promise<HeldToken> {
    const mine = this.#renewing.then(() => this.#renewNow(refused, challenge));
    this.#renewing = mine.catch(() => {});
    return mine;
  }

  giveUp({ lacksScopes, scopes }: Challenge): AuthorizationFailure {
    const { name, clientId } = this.#options;
    const why = lacksScopes
      ? `the client ${clientId} may not have the scopes that are needed (${scopes.join(" ")})`
      : "the server refuses the tokens of its authorization server";
    return new AuthorizationFailure(
      `${name}: ${why}. Check sources.${name}.oauth with whoever runs the server.`,
      false,
    );
  }

  secrets(): readonly string[] {
    const { clientSecret } = this.#options;
    return this.#latest === undefined ? [clientSecret] : [clientSecret, this.#latest];
  }

  async #renewNow(refused: HeldToken | undefined, challenge: Challenge): Promise<HeldToken> {
    const known = this.#secret;
    const hasScopes = known !== undefined && areAmong(challenge.scopes, known.scopes);
    const isNew = this.#latest !== undefined && refused?.token !== this.#latest;
    if (known && isNew && (hasScopes || !challenge.lacksScopes)) return this.#get(known);
    if (hasScopes && challenge.lacksScopes) throw this.giveUp(challenge);
    const wanted = challenge.scopes.join(" ");
    const { scopes, until } = this.#inVain;
    if (challenge.lacksScopes && wanted === scopes && performance.now() < until) throw this.giveUp(challenge);
    const secret = await this.#find(challenge, known);
    if (refused) this.#tokens.forget(secret);
    const held = await this.#get(secret).catch((error: unknown) => {
      if (!challenge.lacksScopes || !(error instanceof AuthorizationFailure)) throw error;
      // What there is without them is still good.
      this.#inVain = { scopes: wanted, until: performance.now() + IN_VAIN_MS };
      throw this.giveUp(challenge);
    });
    this.#secret = secret;
    return held;
  }

  async #find(challenge: Challenge, known: ClientSecret | undefined): Promise<ClientSecret> {
    const { name, clientId, clientSecret, scopes: stated } = this.#options;
    const server = await findAuthorizationServer(this.#options, challenge);
    // Whoever can change what the server says must not be able to send the secret to a place of their own.
    if (this.#issuer !== undefined && this.#issuer !== server.issuer)
      throw new AuthorizationFailure(
        `${name}: the server now names another authorization server, which would get the client secret. Start the gateway anew if that is meant, or set sources.${name}.oauth.issuer.`,
        false,
      );
    this.#issuer = server.issuer;
    const asked = challenge.scopes.length > 0 ? challenge.scopes : server.scopes;
    const scopes = challenge.lacksScopes
      ? scopesOf(known?.scopes ?? stated, challenge.scopes)
      : (known?.scopes ?? (stated.length > 0 ? stated : asked));
    return {
      tokenUrl: server.metadata.token_endpoint,
      clientId,
      clientSecret,
      scopes,
      resource: server.resource,
    };
  }

  async #get(secret: ClientSecret): Promise<HeldToken> {
    const { name } = this.#options;
    try {
      const token = await this.#tokens.token(secret, name);
      this.#latest = token;
      return { token, login: "client" };
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== "UNAUTHORIZED_UPSTREAM") throw error;
      throw new AuthorizationFailure(
        `${name}: the authorization server gave no token for the client. Check clientId and clientSecret in sources.${name}.oauth.`,
        false,
        { cause: error },
      );
    }
  }
}
