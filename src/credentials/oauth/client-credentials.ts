import { CallError, isRecord } from "../../core/index.ts";
import type { Outbound, OutboundResponse } from "../../outbound/index.ts";
import { OutboundError, toCallError } from "../../outbound/index.ts";

const TIMEOUT_MS = 30_000;
/** A token is renewed so long before it ends, or when half of a shorter life is over. */
const MARGIN_MS = 30_000;
const USUAL_LIFE_MS = 3_600_000;
const MAX_KEPT = 1_000;

/** Who asks for a token, and where. */
export interface ClientSecret {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** What the token is for (RFC 8707), where the service has to be told. */
  readonly resource?: string | undefined;
}

interface Answer {
  readonly token: string;
  readonly lifeMs: number;
}

interface Kept {
  readonly answer: Promise<Answer>;
  token?: string;
  until: number;
}

/** Tokens by OAuth 2 client credentials (RFC 6749, section 4.4), kept until shortly before they end. */
export class ClientCredentials {
  readonly #outbound: Pick<Outbound, "send">;
  readonly #kept = new Map<string, Kept>();

  constructor(outbound: Pick<Outbound, "send">) {
    this.#outbound = outbound;
  }

  /** A token that is good now; who asks at the same time gets the same one. */
  async token(secret: ClientSecret, what: string): Promise<string> {
    const key = keyOf(secret);
    const known = this.#kept.get(key);
    if (known && known.until > Date.now()) return (await known.answer).token;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MAX_KEPT) this.#kept.delete(oldest);
    const kept: Kept = { answer: this.#ask(secret, what), until: Date.now() + TIMEOUT_MS };
    this.#kept.set(key, kept);
    try {
      const { token, lifeMs } = await kept.answer;
      kept.token = token;
      kept.until = Date.now() + Math.max(lifeMs - MARGIN_MS, lifeMs / 2);
      return token;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      throw error;
    }
  }

  /** The tokens that are kept. */
  tokens(): readonly string[] {
    return [...this.#kept.values()].flatMap(({ token }) => (token === undefined ? [] : [token]));
  }

  /** Forgets a token that was refused. */
  forget(secret: ClientSecret): void {
    this.#kept.delete(keyOf(secret));
  }

  async #ask(secret: ClientSecret, what: string): Promise<Answer> {
    // Servers must take the secret as a header; some take it in the body only.
    for (const inBody of [false, true]) {
      const response = await this.#send(secret, { inBody, what });
      const text = await response.body.text();
      const answer = response.status < 300 ? parse(text) : undefined;
      if (isRecord(answer) && typeof answer.access_token === "string") {
        const seconds = Number(answer.expires_in);
        return { token: answer.access_token, lifeMs: seconds > 0 ? seconds * 1_000 : USUAL_LIFE_MS };
      }
      // Nothing is wrong with the client; the service may answer another time.
      if (response.status >= 500 || response.status === 429) {
        const happened = `The token service answered ${response.status}.`;
        throw new CallError("UNAVAILABLE", `${what}: there is no token at the moment. Try again later.`, {
          cause: new OutboundError("broken", happened),
        });
      }
    }
    throw new CallError(
      "UNAUTHORIZED_UPSTREAM",
      `${what}: the token service gave no token for our client id. The operator of this gateway should check clientId and clientSecret.`,
    );
  }

  async #send(
    { tokenUrl, clientId, clientSecret, scopes, resource }: ClientSecret,
    { inBody, what }: { readonly inBody: boolean; readonly what: string },
  ): Promise<OutboundResponse> {
    const form = new URLSearchParams({ grant_type: "client_credentials" });
    if (scopes.length > 0) form.set("scope", scopes.join(" "));
    if (resource !== undefined) form.set("resource", resource);
    if (inBody) {
      form.set("client_id", clientId);
      form.set("client_secret", clientSecret);
    }
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
    try {
      return await this.#outbound.send({
        method: "POST",
        url: tokenUrl,
        headers: {
          accept: "application/json",
          "content-type": "application/x-www-form-urlencoded",
          ...(!inBody && { authorization: `Basic ${Buffer.from(pair).toString("base64")}` }),
        },
        body: form.toString(),
        repeatable: true,
        deadline: performance.now() + TIMEOUT_MS,
      });
    } catch (error) {
      if (error instanceof OutboundError) throw toCallError(error, what, { repeatable: true });
      throw error;
    }
  }
}

function keyOf({ tokenUrl, clientId, clientSecret, scopes, resource }: ClientSecret): string {
  return JSON.stringify([tokenUrl, clientId, clientSecret, scopes, resource]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
