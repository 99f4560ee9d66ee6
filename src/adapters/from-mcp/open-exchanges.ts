import type { Exchange } from "./exchange.ts";
import type { Asker } from "./live-questions.ts";

/** The requests of one session that are on their way. */
export class OpenExchanges {
  readonly #byId = new Map<string | number, Exchange>();
  #hasLoose = false;

  /** Whether the server may still be running calls, and asking about them, that were given up here. */
  get hasLoose(): boolean {
    return this.#hasLoose;
  }

  add(exchange: Exchange): void {
    this.#byId.set(exchange.id, exchange);
  }

  /** Takes out the one that has been answered. */
  answered(id: string | number): Exchange | undefined {
    return this.#take(id);
  }

  /** Takes out one that will not be answered any more. */
  givenUp(id: string | number): Exchange | undefined {
    const exchange = this.#take(id);
    if (exchange?.asker) this.#hasLoose = true;
    return exchange;
  }

  /**
   * Whose question it is that came in on the stream of this request, or on no request's stream. Many servers ask
   * there; then it is certain only where a single call can have asked.
   */
  askerOn(stream: Exchange | undefined): Asker | undefined {
    if (stream) return this.#byId.has(stream.id) ? stream.asker : undefined;
    const [only, ...others] = [...this.#byId.values()].filter(({ asker }) => asker !== undefined);
    if (only === undefined || others.length > 0 || this.#hasLoose) return undefined;
    only.wasAskedAside = true;
    return only.asker;
  }

  #take(id: string | number): Exchange | undefined {
    const exchange = this.#byId.get(id);
    this.#byId.delete(id);
    return exchange;
  }
}
