import { AsyncLocalStorage } from "node:async_hooks";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { OauthCredential } from "../../credentials/oauth/index.ts";
import { authorisedFetch } from "../../credentials/oauth/index.ts";
import { type Outbound, OutboundError } from "../../outbound/index.ts";
import { Exchange, OpenExchanges } from "./exchange.ts";
import type { Asker } from "./questions.ts";
import { isTooMuch, repairResult } from "./repair.ts";
import { guardFetch, headerFetch, UnaskedStream } from "./wire-guard.ts";

/** The local error code of a request that got no answer; outside of what JSON-RPC and MCP reserve. */
export const UNANSWERED = -31900;

/** How long a cancellation may take to be delivered. */
const CANCEL_MS = 5_000;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** Where a transport leads, and what it needs on the way. */
export interface TransportOptions {
  readonly url: URL;
  readonly token: string | undefined;
  /** The header that carries the token as it is, where that is not a bearer token. */
  readonly tokenHeader?: string | undefined;
  /** A credential whose tokens change, in place of the token. */
  readonly oauth?: OauthCredential | undefined;
  readonly outbound: Pick<Outbound, "fetch">;
  /** Told when the stream on which a server speaks unasked has ended and cannot be opened again. */
  readonly onStreamLost: () => void;
  /** Told when the server was cut off because it sent too many events. */
  readonly onFlood?: (() => void) | undefined;
}

/**
 * The SDK's transport, made to fail as soon as a failure is certain. Of itself it waits for the timeout when an
 * answer dies half-way or never comes, keeps streams open that nobody reads any more, and takes one bad tool for
 * a bad list.
 */
export class FailFastTransport extends StreamableHTTPClientTransport {
  readonly #open = new OpenExchanges();
  /** Which request is being fetched for; the SDK does not say. */
  readonly #current: AsyncLocalStorage<Exchange>;
  /** For whom requests are sent. */
  readonly #asking = new AsyncLocalStorage<Asker>();
  readonly #unasked: UnaskedStream;
  readonly #onStreamLost: () => void;
  #deliver: ((message: JSONRPCMessage) => void) | undefined;

  constructor(options: TransportOptions) {
    const { url, token, tokenHeader, onStreamLost, onFlood } = options;
    const current = new AsyncLocalStorage<Exchange>();
    const unasked = new UnaskedStream(onStreamLost);
    super(url, {
      fetch: guardFetch(wayOf(options), { unasked, exchange: () => current.getStore(), onFlood }),
      ...(token !== undefined && tokenHeader === undefined && { authProvider: { token: async () => token } }),
      reconnectionOptions: {
        initialReconnectionDelay: 250,
        maxReconnectionDelay: 30_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 1,
      },
      reconnectionScheduler: (reconnect, delay) => {
        const timer = setTimeout(reconnect, current.getStore() ? delay : unasked.pause());
        return () => clearTimeout(timer);
      },
    });
    this.#current = current;
    this.#unasked = unasked;
    this.#onStreamLost = onStreamLost;
  }

  /** Settles when the server can speak unasked, or when it is clear that it does not. */
  get unaskedSettled(): Promise<void> {
    return this.#unasked.settled;
  }

  /** Does work for somebody who can be asked about it. */
  asking<Result>(asker: Asker, work: () => Result): Result {
    return this.#asking.run(asker, work);
  }

  /** Who is to answer the question that is just being received; nobody where that is not certain. */
  whoIsAsked(): Asker | undefined {
    const stream = this.#current.getStore();
    const asker = this.#open.askerOn(stream);
    // A new session knows nothing of calls that were given up on this one.
    if (!asker && !stream && this.#open.hasLoose) this.#onStreamLost();
    return asker;
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message)) return super.send(message, options);
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      return this.#cancel(message, options);
    }
    // A subscription waits for no answer, and the SDK watches over its stream.
    const isQuestion = isJSONRPCRequest(message) && message.method !== "subscriptions/listen";
    if (!isQuestion) return super.send(message, options);

    this.#listen();
    const exchange = new Exchange(message, {
      signal: options?.requestSignal,
      asker: this.#asking.getStore(),
    });
    this.#open.add(exchange);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      exchange.end();
      this.#unanswered(exchange);
    };
    const request = { ...options, requestSignal: exchange.signal, onRequestStreamEnd };
    try {
      await this.#current.run(exchange, () => super.send(message, request));
    } catch (error) {
      this.#open.givenUp(exchange.id);
      throw error;
    }
    // An answer that is no stream is complete by now, even if it answers nothing.
    if (!exchange.isStream) this.#unanswered(exchange);
  }

  /** Before 2026-07-28 a server need not end a stream whose request was cancelled, so we do. */
  async #cancel(message: JSONRPCNotification, options: SendOptions): Promise<void> {
    const exchange = this.#open.givenUp(message.params?.requestId as string | number);
    // Should it be made again, its question must not be mistaken for that of another call.
    if (exchange?.wasAskedAside) this.#onStreamLost();
    // First, since the cancellation may have to wait for the connection that the request holds.
    exchange?.abort();
    await super.send(message, { ...options, requestSignal: AbortSignal.timeout(CANCEL_MS) });
  }

  /** The SDK sets its listener anew while it connects, so ours is put before it whenever it is gone. */
  #listen(): void {
    if (this.#deliver !== undefined && this.onmessage === this.#deliver) return;
    const next = this.onmessage;
    this.#deliver = (message) => {
      if ("method" in message && isTooMuch(message.params ?? {}, message.method)) return;
      next?.(this.#receive(message));
    };
    this.onmessage = this.#deliver;
  }

  #receive(message: JSONRPCMessage): JSONRPCMessage {
    const isResult = isJSONRPCResultResponse(message);
    if (!isResult && !isJSONRPCErrorResponse(message)) return message;
    const exchange = message.id === undefined ? undefined : this.#open.answered(message.id);
    if (!exchange) return message;
    exchange.answered();
    if (!isResult) return message;
    if (isTooMuch(message.result, exchange.method)) {
      const happened = "The answer holds more values than can be checked.";
      return unanswered(exchange, new OutboundError("too-large", happened, { mayHaveRun: true }));
    }
    return { ...message, result: repairResult(message.result, exchange.method, this.protocolVersion) };
  }

  #unanswered(exchange: Exchange): void {
    if (!this.#open.givenUp(exchange.id) || exchange.signal.aborted) return;
    this.onmessage?.(unanswered(exchange, exchange.fault));
  }
}

/** What stands for an answer that did not come, or cannot be taken. */
function unanswered({ id }: Exchange, fault: OutboundError | undefined): JSONRPCMessage {
  const error = { code: UNANSWERED, message: "there was no answer", ...(fault && { data: fault }) };
  return { jsonrpc: "2.0", id, error };
}

/** The way out, with whatever is presented on it. */
function wayOf({ url, token, tokenHeader, oauth, outbound }: TransportOptions): Pick<Outbound, "fetch"> {
  if (oauth) return authorisedFetch(outbound, oauth, url);
  if (token === undefined || tokenHeader === undefined) return outbound;
  return headerFetch(outbound, { name: tokenHeader, value: token }, url);
}
