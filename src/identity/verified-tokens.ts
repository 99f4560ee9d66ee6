import type { Identity } from "../core/index.ts";

interface Verified {
  readonly identity: Identity;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Cache of verified tokens, by the digest of the token. Verifying a signature costs about a
 * millisecond; the same token comes with every call.
 */
export class VerifiedTokens {
  readonly #size: number;
  readonly #known = new Map<string, Verified>();
  #era = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Changes when all is forgotten. */
  get era(): number {
    return this.#era;
  }

  get(digest: string, now: number): Identity | undefined {
    const found = this.#known.get(digest);
    if (!found) return undefined;
    this.#known.delete(digest);
    if (found.until <= now) return undefined;
    // The map is in order of use: the first entry is the least recently used.
    this.#known.set(digest, found);
    return found.identity;
  }

  /** Caches a result, unless the cache was cleared since the verification began. */
  set(digest: string, { identity, until, era }: Verified & { readonly era: number }): void {
    if (era !== this.#era) return;
    if (this.#known.size >= this.#size) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(digest, { identity, until });
  }

  clear(): void {
    this.#era++;
    this.#known.clear();
  }
}
