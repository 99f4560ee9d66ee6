import { createHash } from "node:crypto";
import { firstOf, type Incoming } from "./incoming.ts";
import { OutboundError } from "./outbound-error.ts";
import type { Outgoing } from "./outgoing.ts";
import { parseRetryAfter } from "./send.ts";

/** Pauses that are remembered; beyond that the oldest is forgotten. */
const MAX_PAUSES = 10_000;

/**
 * The times until which services asked not to be called (Retry-After), shared by all requests of a client. They go by origin and
 * credential: services count by credential, and a caller who has used up its own must not hold up the others.
 */
export class Pauses {
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Remembers how long the answer to a request asks to wait, if it does. */
  note(request: Outgoing, answer: Pick<Incoming, "status" | "headers">): void {
    const milliseconds = askedToWait(answer);
    if (milliseconds === undefined || milliseconds === 0) return;
    const key = keyOf(request);
    const until = Math.max(this.#until.get(key) ?? 0, this.#now() + milliseconds);
    // The latest last, so that the first one is the oldest.
    this.#until.delete(key);
    this.#until.set(key, until);
    if (this.#until.size > MAX_PAUSES) this.#forgetOldest();
  }

  /** Refuses a request before its time. */
  refuse(request: Outgoing): void {
    if (this.#until.size === 0) return;
    const key = keyOf(request);
    const left = (this.#until.get(key) ?? 0) - this.#now();
    if (left <= 0) {
      this.#until.delete(key);
      return;
    }
    const happened = `${request.url.origin} has asked to wait, so that it was not called.`;
    throw new OutboundError("rate-limited", happened, { retryAfterMs: Math.ceil(left) });
  }

  #forgetOldest(): void {
    for (const key of this.#until.keys()) {
      this.#until.delete(key);
      return;
    }
  }
}

/** Milliseconds that an answer asks to wait before the next request; undefined if it does not ask. */
function askedToWait({ status, headers }: Pick<Incoming, "status" | "headers">): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  return parseRetryAfter(firstOf(headers, "retry-after"), Date.now());
}

/** Without the credential itself, which is not kept for longer than its request. */
function keyOf({ url, headers, account }: Outgoing): string {
  const credential = account ?? headers.find(([name]) => name === "authorization")?.[1] ?? "";
  return `${url.origin} ${createHash("sha256").update(credential).digest("base64")}`;
}
