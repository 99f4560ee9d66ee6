import {
  ClientCredentialsProvider,
  DpopSession,
  fetchToken,
  type OAuthClientProvider,
  OAuthErrorCode,
} from "@modelcontextprotocol/client";
import { CallError } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { type OnSecrets, TokenCache } from "../index.ts";
import type { MakeAssertion } from "./assertion.ts";
import {
  type AuthorizationServer,
  findAuthorizationServer,
  type ProtectedServer,
} from "./authorization-server.ts";
import { isBound } from "./bound-key.ts";
import { authenticationsOf, type OauthClient } from "./client-authentication.ts";
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
import { refusalIn } from "./login.ts";
import { tokenFetch } from "./token-fetch.ts";

/** Time in which refused scopes are not requested again. */
const REFUSED_MS = 30_000;

/** Refusals of a client that the authorization server knows: another way to prove itself does not help. */
const SETTLED: readonly string[] = [
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidScope,
  OAuthErrorCode.UnauthorizedClient,
];

interface ClientGrantOptions extends ProtectedServer {
  readonly outbound: Pick<Outbound, "fetch" | "send">;
  readonly client: OauthClient;
  /** Requested instead of the scopes that the server names. */
  readonly scopes: readonly string[];
  /** An assertion to exchange for the token; without it the client asks for a token of its own. */
  readonly assertion?: MakeAssertion | undefined;
  /** Advice if there is no token: a sentence. */
  readonly advice: string;
  /** Only tokens that are bound to a key of this grant are accepted. */
  readonly dpop?: boolean | undefined;
  readonly secrets: readonly string[];
  readonly onSecrets?: OnSecrets | undefined;
}

/** A token as it is requested. */
interface Request {
  readonly server: AuthorizationServer;
  readonly scopes: readonly string[];
}

/**
 * Tokens that the gateway gets without a person. The first request to the server goes without a token: its refusal says
 * where tokens come from.
 */
export class ClientGrant implements OauthCredential {
  readonly #options: ClientGrantOptions;
  readonly #cache: TokenCache;
  #request: Request | undefined;
  #issuer: string | undefined;
  #latest: string | undefined;
  #refused = { scopes: "", until: 0 };
  #renewing: Promise<unknown> = Promise.resolve();
  /** The key of the tokens; it lives as long as they do, in memory only. */
  #session: Promise<DpopSession> | undefined;

  constructor(options: ClientGrantOptions) {
    this.#options = options;
    this.#cache = new TokenCache(options.onSecrets);
  }

  async token(): Promise<HeldToken | undefined> {
    return this.#request && this.#get(this.#request);
  }

  /** One at a time: most refusals of one moment are about the same token. */
  renew(refused: HeldToken | undefined, challenge: Challenge): Promise<HeldToken> {
    const mine = this.#renewing.then(() => this.#renewNow(refused, challenge));
    this.#renewing = mine.catch(() => {});
    return mine;
  }

  giveUp(challenge: Challenge): AuthorizationFailure {
    const { name, client, dpop } = this.#options;
    const { lacksScopes, scopes } = challenge;
    const ofKey = boundTokenRefused(name, challenge, dpop === true);
    if (ofKey) return ofKey;
    const who = client.clientId === undefined ? "the gateway" : `the client ${client.clientId}`;
    const why = lacksScopes
      ? `${who} may not have the scopes that are needed (${scopes.join(" ")})`
      : "the server refuses the tokens of its authorization server";
    return new AuthorizationFailure(
      `${name}: ${why}. Check sources.${name}.oauth with the operator of the server.`,
      false,
    );
  }

  secrets(): readonly string[] {
    const { secrets } = this.#options;
    return this.#latest === undefined ? secrets : [...secrets, this.#latest];
  }

  async #renewNow(refused: HeldToken | undefined, challenge: Challenge): Promise<HeldToken> {
    const known = this.#request;
    const hasScopes = known !== undefined && areAmong(challenge.scopes, known.scopes);
    const isNew = this.#latest !== undefined && refused?.token !== this.#latest;
    if (known && isNew && (hasScopes || !challenge.lacksScopes)) return this.#get(known);
    if (hasScopes && challenge.lacksScopes) throw this.giveUp(challenge);
    const wanted = challenge.scopes.join(" ");
    const { scopes, until } = this.#refused;
    if (challenge.lacksScopes && wanted === scopes && performance.now() < until) throw this.giveUp(challenge);
    const request = await this.#find(challenge, known);
    if (refused) this.#cache.forget(keyOf(request));
    const held = await this.#get(request).catch((error: unknown) => {
      if (!challenge.lacksScopes || !(error instanceof AuthorizationFailure)) throw error;
      // The token without these scopes stays in use.
      this.#refused = { scopes: wanted, until: performance.now() + REFUSED_MS };
      throw this.giveUp(challenge);
    });
    this.#request = request;
    return held;
  }

  async #find(challenge: Challenge, known: Request | undefined): Promise<Request> {
    const { name, scopes: stated } = this.#options;
    const server = await findAuthorizationServer(this.#options, challenge);
    // A server that is taken over must not be able to send the credential to an issuer of its choice.
    if (this.#issuer !== undefined && this.#issuer !== server.issuer)
      throw new AuthorizationFailure(
        `${name}: the server now names another authorization server, which would get the credential of the client. Restart the gateway if that is intended, or set sources.${name}.oauth.issuer.`,
        false,
      );
    this.#issuer = server.issuer;
    const asked = challenge.scopes.length > 0 ? challenge.scopes : server.scopes;
    const scopes = challenge.lacksScopes
      ? scopesOf(known?.scopes ?? stated, challenge.scopes)
      : (known?.scopes ?? (stated.length > 0 ? stated : asked));
    return { server, scopes };
  }

  async #get(request: Request): Promise<HeldToken> {
    const token = await this.#cache.get(keyOf(request), () => this.#fetch(request));
    this.#latest = token;
    return { token, login: "client", ...(this.#session && { dpop: await this.#session }) };
  }

  async #fetch({ server: { issuer, metadata, resource }, scopes }: Request) {
    const { name, server, outbound, client, assertion, dpop, advice } = this.#options;
    const bearer = await assertion?.({ issuer, resource: resource ?? server.href, scopes });
    if (dpop) this.#session ??= DpopSession.create();
    const session = await this.#session;
    const options = {
      metadata,
      fetchFn: tokenFetch(name, outbound),
      ...(resource !== undefined && { resource }),
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    };
    let refusal: string | undefined;
    for (const addClientAuthentication of authenticationsOf(client)) {
      const provider = Object.assign(providerFor(issuer, client), {
        addClientAuthentication,
        ...(bearer !== undefined && { prepareTokenRequest: (scope) => jwtBearer(bearer, scope) }),
        ...(session && { dpop: () => session }),
      } satisfies Partial<OAuthClientProvider>);
      try {
        const tokens = await fetchToken(provider, issuer, options);
        if (dpop && !isBound(tokens)) throw tokenNotBound(name);
        return { token: tokens.access_token, expiresIn: tokens.expires_in };
      } catch (error) {
        if (error instanceof CallError || error instanceof AuthorizationFailure) throw error;
        refusal = refusalIn(error);
        if (refusal !== undefined && SETTLED.includes(refusal)) break;
      }
    }
    const code = refusal === undefined ? "" : ` (${refusal})`;
    throw new AuthorizationFailure(
      `${name}: the authorization server gave no token for the client${code}. ${advice}`,
      false,
    );
  }
}

function keyOf({ server: { issuer, resource }, scopes }: Request): string {
  return JSON.stringify([issuer, resource, scopes]);
}

/** Token requests for a client, as the SDK makes them. It too refuses to send them to another issuer. */
function providerFor(issuer: string, { clientId = "" }: OauthClient): ClientCredentialsProvider {
  return new ClientCredentialsProvider({ clientId, clientSecret: "", expectedIssuer: issuer });
}

/** A token request by an assertion (RFC 7523, section 2.1). */
function jwtBearer(assertion: string, scope: string | undefined): URLSearchParams {
  const grant = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  return new URLSearchParams({ ...grant, ...(scope !== undefined && { scope }) });
}
