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
import type { Outbound } from "../../outbound/index.ts";
import { Exchange } from "./exchange.ts";
import { guardFetch } from "./guard-fetch.ts";
import { repairResult } from "./repair.ts";
import { UnaskedStream } from "./unasked-stream.ts";

/** The local error code of a request that got no answer; outside of what JSON-RPC and MCP reserve. */
export const UNANSWERED = -31900;

/** How long a cancellation may take to be delivered. */
const CANCEL_MS = 5_000;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** Where a transport leads, and what it needs on the way. */
export interface TransportOptions {
  readonly url: URL;
  readonly token: string | undefined;
  readonly outbound: Pick<Outbound, "fetch">;
  /** Told when the stream on which a server speaks unasked has ended and cannot be opened again. */
  readonly onStreamLost: () => void;
}

/**
 * The SDK's transport, made to fail as soon as a failure is certain. Of itself it waits for the timeout when an
 * answer dies half-way or never comes, keeps streams open that nobody reads any more, and takes one bad tool for
 * a bad list.
 */
export class FailFastTransport extends StreamableHTTPClientTransport {
  readonly #open = new Map<string | number, Exchange>();
  /** Which request is being fetched for; the SDK does not say. */
  readonly #current: AsyncLocalStorage<Exchange>;
  #deliver: ((message: JSONRPCMessage) => void) | undefined;

  constructor({ url, token, outbound, onStreamLost }: TransportOptions) {
    const current = new AsyncLocalStorage<Exchange>();
    const unasked = new UnaskedStream(onStreamLost);
    super(url, {
      fetch: guardFetch(outbound, { unasked, exchange: () => current.getStore() }),
      ...(token !== undefined && { authProvider: { token: async () => token } }),
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
    const exchange = new Exchange(message, options?.requestSignal);
    this.#open.set(exchange.id, exchange);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      exchange.end();
      this.#unanswered(exchange);
    };
    const request = { ...options, requestSignal: exchange.signal, onRequestStreamEnd };
    try {
      await this.#current.run(exchange, () => super.send(message, request));
    } catch (error) {
      this.#open.delete(exchange.id);
      throw error;
    }
    // An answer that is no stream is complete by now, even if it answers nothing.
    if (!exchange.isStream) this.#unanswered(exchange);
  }

  /** Before 2026-07-28 a server need not end a stream whose request was cancelled, so we do. */
  async #cancel(message: JSONRPCNotification, options: SendOptions): Promise<void> {
    const exchange = this.#open.get(message.params?.requestId as string | number);
    try {
      await super.send(message, { ...options, requestSignal: AbortSignal.timeout(CANCEL_MS) });
    } finally {
      if (exchange) this.#open.delete(exchange.id);
      exchange?.abort();
    }
  }

  /** The SDK sets its listener anew while it connects, so ours is put before it whenever it is gone. */
  #listen(): void {
    if (this.#deliver !== undefined && this.onmessage === this.#deliver) return;
    const next = this.onmessage;
    this.#deliver = (message) => next?.(this.#receive(message));
    this.onmessage = this.#deliver;
  }

  #receive(message: JSONRPCMessage): JSONRPCMessage {
    const isResult = isJSONRPCResultResponse(message);
    if (!isResult && !isJSONRPCErrorResponse(message)) return message;
    const exchange = message.id === undefined ? undefined : this.#open.get(message.id);
    if (!exchange) return message;
    this.#open.delete(exchange.id);
    exchange.answered();
    if (!isResult) return message;
    return { ...message, result: repairResult(message.result, exchange.method, this.protocolVersion) };
  }

  #unanswered(exchange: Exchange): void {
    if (!this.#open.delete(exchange.id) || exchange.signal.aborted) return;
    const { id, fault } = exchange;
    const error = { code: UNANSWERED, message: "there was no answer", ...(fault && { data: fault }) };
    this.onmessage?.({ jsonrpc: "2.0", id, error });
  }
}
