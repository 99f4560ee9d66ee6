import {
  ClientCredentialsProvider,
  type FetchLike,
  fetchToken,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { CallError } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { addClientSecret, type OnSecrets, parseTokens, sendTokenRequest, TokenCache } from "../index.ts";
import {
  type AuthorizationServer,
  findAuthorizationServer,
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

/** Time in which refused scopes are not requested again. */
const REFUSED_MS = 30_000;

interface ClientGrantOptions extends ProtectedServer {
  readonly outbound: Pick<Outbound, "fetch" | "send">;
  readonly clientId: string;
  /** Requested instead of the scopes that the server names. */
  readonly scopes: readonly string[];
  /** The ways in which the client can prove itself to an issuer, tried in order. */
  readonly providers: (issuer: string) => readonly OAuthClientProvider[];
  readonly secrets: readonly string[];
  readonly onSecrets?: OnSecrets | undefined;
}

/** A grant for a client with a secret of its own (RFC 6749, section 4.4). */
export function clientSecretGrant({
  clientSecret,
  ...options
}: Omit<ClientGrantOptions, "providers" | "secrets"> & { readonly clientSecret: string }): OauthCredential {
  const client = { clientId: options.clientId, clientSecret };
  // Servers must take the secret as a header; some take it in the body only.
  const providers = (issuer: string) =>
    (["header", "body"] as const).map((place) =>
      Object.assign(new ClientCredentialsProvider({ ...client, expectedIssuer: issuer }), {
        addClientAuthentication: (headers: Headers, form: URLSearchParams) =>
          addClientSecret(client, place, { headers, form }),
      }),
    );
  return new ClientGrant({ ...options, providers, secrets: [clientSecret] });
}

/** A token as it is requested. */
interface Request {
  readonly server: AuthorizationServer;
  readonly scopes: readonly string[];
}

/**
 * Tokens that the gateway gets without a person. The SDK makes the token request; a provider of the SDK says how the
 * client proves itself. The first request to the server goes without a token: its refusal says where tokens come from.
 */
class ClientGrant implements OauthCredential {
  readonly #options: ClientGrantOptions;
  readonly #cache: TokenCache;
  #request: Request | undefined;
  #issuer: string | undefined;
  #latest: string | undefined;
  #refused = { scopes: "", until: 0 };
  #renewing: Promise<unknown> = Promise.resolve();

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

  giveUp({ lacksScopes, scopes }: Challenge): AuthorizationFailure {
    const { name, clientId } = this.#options;
    const why = lacksScopes
      ? `the client ${clientId} may not have the scopes that are needed (${scopes.join(" ")})`
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
    // A server that is taken over must not be able to send the secret to an issuer of its choice.
    if (this.#issuer !== undefined && this.#issuer !== server.issuer)
      throw new AuthorizationFailure(
        `${name}: the server now names another authorization server, which would get the client secret. Restart the gateway if that is intended, or set sources.${name}.oauth.issuer.`,
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
    return { token, login: "client" };
  }

  async #fetch({ server: { issuer, metadata, resource }, scopes }: Request) {
    const { name, outbound, providers } = this.#options;
    const options = {
      metadata,
      fetchFn: tokenFetch(name, outbound),
      ...(resource !== undefined && { resource }),
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    };
    for (const provider of providers(issuer)) {
      try {
        const tokens = await fetchToken(provider, issuer, options);
        return { token: tokens.access_token, expiresIn: tokens.expires_in };
      } catch (error) {
        if (error instanceof CallError) throw error;
        // Not quoted: the SDK repeats the body of the answer, which may be anything.
      }
    }
    throw new AuthorizationFailure(
      `${name}: the authorization server gave no token for the client. Check clientId and clientSecret in sources.${name}.oauth.`,
      false,
    );
  }
}

function keyOf({ server: { issuer, resource }, scopes }: Request): string {
  return JSON.stringify([issuer, resource, scopes]);
}

/** A fetch for the SDK's token request. The SDK insists on `token_type`, which some servers leave out. */
function tokenFetch(what: string, outbound: Pick<Outbound, "send">): FetchLike {
  return async (url, init) => {
    const request = { url, headers: new Headers(init?.headers), body: String(init?.body) };
    const { status, text } = await sendTokenRequest(request, { what, outbound });
    const tokens = parseTokens(text);
    return new Response(tokens ? JSON.stringify({ token_type: "Bearer", ...tokens }) : text || null, {
      status,
    });
  };
}
