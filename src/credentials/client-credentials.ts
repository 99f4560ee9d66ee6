import { CallError, isRecord, parseJson } from "../core/index.ts";
import { type Outbound, OutboundError, toCallError } from "../outbound/index.ts";

const TIMEOUT_MS = 30_000;
/** A token is renewed this long before it ends, or at half of a shorter life. */
const MARGIN_MS = 30_000;
const USUAL_LIFE_MS = 3_600_000;
const MAX_TOKENS = 1_000;

interface IssuedToken {
  readonly token: string;
  /** In seconds; servers need not say it. */
  readonly expiresIn: unknown;
}

interface CachedToken {
  readonly issued: Promise<IssuedToken>;
  token?: string;
  until: number;
}

/** Is told of every token that a source obtains by itself, so that logs and audits leave it out. */
export type OnSecrets = (secrets: readonly string[]) => void;

/** Access tokens, kept until shortly before they end. Callers that need the same token at the same time share one request. */
export class TokenCache {
  readonly #cached = new Map<string, CachedToken>();
  readonly #onSecrets: OnSecrets | undefined;

  constructor(onSecrets?: OnSecrets) {
    this.#onSecrets = onSecrets;
  }

  async get(key: string, request: () => Promise<IssuedToken>): Promise<string> {
    const known = this.#cached.get(key);
    if (known && known.until > Date.now()) return (await known.issued).token;
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined && this.#cached.size >= MAX_TOKENS) this.#cached.delete(oldest);
    const cached: CachedToken = { issued: request(), until: Date.now() + TIMEOUT_MS };
    this.#cached.set(key, cached);
    try {
      const { token, expiresIn } = await cached.issued;
      this.#onSecrets?.([token]);
      const lifeMs = Number(expiresIn) > 0 ? Number(expiresIn) * 1_000 : USUAL_LIFE_MS;
      cached.token = token;
      cached.until = Date.now() + Math.max(lifeMs - MARGIN_MS, lifeMs / 2);
      return token;
    } catch (error) {
      if (this.#cached.get(key) === cached) this.#cached.delete(key);
      throw error;
    }
  }

  /** Drops a token that a server refused. */
  forget(key: string): void {
    this.#cached.delete(key);
  }

  tokens(): readonly string[] {
    return [...this.#cached.values()].flatMap(({ token }) => (token === undefined ? [] : [token]));
  }
}

/** A client of a token service, and the token that it needs. */
export interface ClientSecret {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

/**
 * Tokens by OAuth 2 client credentials (RFC 6749, section 4.4) for a token service that is known by its URL alone, as
 * OpenAPI documents name it.
 */
export class ClientCredentials {
  readonly #outbound: Pick<Outbound, "send">;
  readonly #cache: TokenCache;

  constructor(outbound: Pick<Outbound, "send">, onSecrets?: OnSecrets) {
    this.#outbound = outbound;
    this.#cache = new TokenCache(onSecrets);
  }

  /** A token that is valid now. */
  token(secret: ClientSecret, what: string): Promise<string> {
    return this.#cache.get(keyOf(secret), () => this.#request(secret, what));
  }

  tokens(): readonly string[] {
    return this.#cache.tokens();
  }

  /** Drops a token that a server refused. */
  forget(secret: ClientSecret): void {
    this.#cache.forget(keyOf(secret));
  }

  async #request(secret: ClientSecret, what: string): Promise<IssuedToken> {
    // Servers must take the secret as a header; some take it in the body only.
    for (const place of ["header", "body"] as const) {
      const { status, text } = await sendTokenRequest(toTokenRequest(secret, place), {
        what,
        outbound: this.#outbound,
      });
      const answer = status < 300 ? parseTokens(text) : undefined;
      if (answer) return { token: answer.access_token, expiresIn: answer.expires_in };
    }
    throw new CallError(
      "UNAUTHORIZED_UPSTREAM",
      `${what}: the token service gave no token for our client id. The operator of this gateway should check clientId and clientSecret.`,
    );
  }
}

function keyOf({ tokenUrl, clientId, clientSecret, scopes }: ClientSecret): string {
  return JSON.stringify([tokenUrl, clientId, clientSecret, scopes]);
}

interface TokenRequest {
  readonly url: string | URL;
  readonly headers: Headers;
  readonly body: string;
}

function toTokenRequest(secret: ClientSecret, place: "header" | "body"): TokenRequest {
  const { tokenUrl, scopes } = secret;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  const headers = new Headers({
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  });
  addClientSecret(secret, place, { headers, form });
  return { url: tokenUrl, headers, body: form.toString() };
}

/** Adds a client's id and secret to a token request; in the header both are encoded (RFC 6749, section 2.3.1). */
export function addClientSecret(
  { clientId, clientSecret }: Pick<ClientSecret, "clientId" | "clientSecret">,
  place: "header" | "body",
  { headers, form }: { readonly headers: Headers; readonly form: URLSearchParams },
): void {
  if (place === "header") {
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  } else {
    form.set("client_id", clientId);
    form.set("client_secret", clientSecret);
  }
}

/** Sends a token request. Throws a CallError while the token service cannot answer. */
export async function sendTokenRequest(
  { url, headers, body: form }: TokenRequest,
  { what, outbound }: { readonly what: string; readonly outbound: Pick<Outbound, "send"> },
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  try {
    const deadline = performance.now() + TIMEOUT_MS;
    const response = await outbound.send({
      method: "POST",
      url,
      headers: Object.fromEntries(headers),
      body: form,
      // A proof is good for one request: a service that remembers it would refuse the second one.
      repeatable: !headers.has("dpop") && !/(?:^|&)(?:client_)?assertion=/.test(form),
      deadline,
    });
    const { status } = response;
    const text = await response.body.text();
    if (status < 500 && status !== 429) return { status, headers: response.headers, text };
    // The client is not at fault; the service may answer another time.
    throw new CallError("UNAVAILABLE", `${what}: there is no token at the moment. Try again later.`, {
      cause: new OutboundError("broken", `The token service answered ${status}.`),
    });
  } catch (error) {
    if (error instanceof OutboundError) throw toCallError(error, what, { repeatable: true });
    throw error;
  }
}

/** The answer of a token service; undefined if it holds no token. */
export function parseTokens(
  text: string,
): { readonly access_token: string; readonly expires_in?: unknown } | undefined {
  const answer = parseJson(text);
  return isRecord(answer) && typeof answer.access_token === "string"
    ? { ...answer, access_token: answer.access_token }
    : undefined;
}
