import type { JSONRPCRequest } from "@modelcontextprotocol/client";
import type { OutboundError } from "../../outbound/index.ts";
import type { Asker } from "./questions.ts";

/** How long a server may keep a stream open after it has answered on it. */
const LINGER_MS = 1_000;

/** Who may stop a request, and who can be asked about it. */
interface ExchangeOptions {
  readonly signal: AbortSignal | undefined;
  readonly asker: Asker | undefined;
}

/** One request that is on its way, from sending it to the end of the stream that answers it. */
export class Exchange {
  readonly id: string | number;
  readonly method: string;
  /** Asks whoever is behind the request, if it is somebody's call. */
  readonly asker: Asker | undefined;
  /** The server asked about it on no request's stream. */
  wasAskedAside = false;
  /** The answer comes as a stream of events. */
  isStream = false;
  /** What is wrong with the stream, where that is known. */
  fault: OutboundError | undefined;
  readonly #controller = new AbortController();
  #linger: ReturnType<typeof setTimeout> | undefined;

  constructor({ id, method }: JSONRPCRequest, { signal, asker }: ExchangeOptions) {
    this.id = id;
    this.method = method;
    this.asker = asker;
    if (signal?.aborted) this.abort();
    signal?.addEventListener("abort", () => this.abort(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The answer is here; the rest of the stream holds nothing, so a server that does not end it is not waited for. */
  answered(): void {
    if (!this.isStream) return;
    this.#linger = setTimeout(() => this.abort(), LINGER_MS);
    this.#linger.unref();
  }

  /** The stream has ended. */
  end(): void {
    clearTimeout(this.#linger);
  }

  /** Lets go of the request and its connection. */
  abort(): void {
    this.end();
    this.#controller.abort();
  }
}

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
