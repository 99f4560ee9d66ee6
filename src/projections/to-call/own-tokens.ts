import { CallError } from "../../core/index.ts";

interface Lasting {
  readonly token: string;
  readonly end: () => void;
}

/**
 * What requests have begun by tokens of their own, and what lasts: it ends once nobody is known by the token any more.
 * The connection does not, because it is also that of others.
 */
export class OwnTokens {
  readonly #lasting = new Set<Lasting>();

  /** Remembers something until the answer is called; `end` is called if the token is known no more. */
  add(token: string, end: () => void): () => void {
    const lasting = { token, end };
    this.#lasting.add(lasting);
    return () => this.#lasting.delete(lasting);
  }

  /** The items of a stream, for as long as the token by which it was asked for is known. */
  async hold(
    token: string,
    begin: (revoked: AbortSignal) => Promise<AsyncIterator<unknown>>,
  ): Promise<AsyncIterator<unknown>> {
    const revoked = new AbortController();
    const items = await begin(revoked.signal);
    const forget = this.add(token, () => revoked.abort());
    return {
      async next() {
        try {
          const step = await items.next();
          if (step.done) forget();
          return step;
        } catch (error) {
          forget();
          throw revoked.signal.aborted ? unknownToken() : error;
        }
      },
      async return() {
        forget();
        return (await items.return?.()) ?? { done: true, value: undefined };
      },
    };
  }

  /** Ends what was begun by tokens that are known no more. */
  async recheck(isKnown: (token: string) => Promise<boolean>): Promise<void> {
    const tokens = new Set([...this.#lasting].map(({ token }) => token));
    await Promise.all([...tokens].map(async (token) => !(await isKnown(token)) && this.#end(token)));
  }

  #end(unknown: string): void {
    for (const { token, end } of this.#lasting) if (token === unknown) end();
  }
}

function unknownToken(): CallError {
  return new CallError(
    "FORBIDDEN",
    "The token by which this stream was asked for is not known any more. Ask again with another.",
  );
}
