import { AsyncLocalStorage } from "node:async_hooks";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { authorisedFetch, type OauthCredential } from "../../credentials/oauth/index.ts";
import { type Outbound, OutboundError } from "../../outbound/index.ts";
import type { Asker } from "./questions.ts";
import { isTooMuch, repairResult } from "./repair.ts";
import { guardFetch, headerFetch, UnaskedStream } from "./wire-guard.ts";

/** Local error code of a request without an answer, outside of the ranges that JSON-RPC and MCP reserve. */
export const UNANSWERED = -31900;

/** Time for a cancellation to be delivered. */
const CANCEL_MS = 5_000;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** Options of a transport. */
export interface TransportOptions {
  readonly url: URL;
  readonly token: string | undefined;
  /** The header for a token that is not a bearer token. */
  readonly tokenHeader?: string | undefined;
  /** A credential whose tokens change, instead of a token. */
  readonly oauth?: OauthCredential | undefined;
  readonly outbound: Pick<Outbound, "fetch"> & Partial<Pick<Outbound, "delay">>;
  /** Called when the stream of unsolicited messages has ended and cannot be opened again. */
  readonly onStreamLost: () => void;
  /** Called when the server was cut off because it sent too many events. */
  readonly onFlood?: (() => void) | undefined;
}

/**
 * The SDK's transport, made to fail as soon as a failure is certain. By itself it waits for the timeout when an
 * answer breaks off or never comes, keeps streams open after their last reader, and refuses a whole list for one
 * invalid tool.
 */
export class FailFastTransport extends StreamableHTTPClientTransport {
  readonly #open = new PendingRequests();
  /** The request that is being fetched for; the SDK does not say. */
  readonly #current: AsyncLocalStorage<PendingRequest>;
  /** The caller that requests are sent for. */
  readonly #asking = new AsyncLocalStorage<Asker>();
  readonly #unasked: UnaskedStream;
  readonly #onStreamLost: () => void;
  #deliver: ((message: JSONRPCMessage) => void) | undefined;

  constructor(options: TransportOptions) {
    const { url, token, tokenHeader, onStreamLost, onFlood } = options;
    const current = new AsyncLocalStorage<PendingRequest>();
    const unasked = new UnaskedStream(onStreamLost);
    super(url, {
      fetch: guardFetch(withCredential(options), { unasked, request: () => current.getStore(), onFlood }),
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

  /** Settles when the server can send unsolicited messages, or when it is clear that it does not. */
  get unaskedSettled(): Promise<void> {
    return this.#unasked.settled;
  }

  /** Runs work whose caller can answer questions. */
  asking<Result>(asker: Asker, work: () => Result): Result {
    return this.#asking.run(asker, work);
  }

  /** The caller that a question in arrival is for; undefined if that is not certain. */
  askerOfQuestion(): Asker | undefined {
    const stream = this.#current.getStore();
    const asker = this.#open.askerOn(stream);
    // A new session has no calls that were given up on this one.
    if (!asker && !stream && this.#open.hasLoose) this.#onStreamLost();
    return asker;
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message)) return super.send(message, options);
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      return this.#cancel(message, options);
    }
    // A subscription has no answer, and the SDK watches its stream.
    const hasAnswer = isJSONRPCRequest(message) && message.method !== "subscriptions/listen";
    if (!hasAnswer) return super.send(message, options);

    this.#listen();
    const pending = new PendingRequest(message, {
      signal: options?.requestSignal,
      asker: this.#asking.getStore(),
    });
    this.#open.add(pending);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      pending.end();
      this.#unanswered(pending);
    };
    const request = { ...options, requestSignal: pending.signal, onRequestStreamEnd };
    try {
      await this.#current.run(pending, () => super.send(message, request));
    } catch (error) {
      this.#open.givenUp(pending.id);
      throw error;
    }
    // Without a stream the response is complete by now, even if it holds no answer.
    if (!pending.isStream) this.#unanswered(pending);
  }

  /** Before 2026-07-28 a server need not end the stream of a cancelled request, so the client does. */
  async #cancel(message: JSONRPCNotification, options: SendOptions): Promise<void> {
    const pending = this.#open.givenUp(message.params?.requestId as string | number);
    // If the call is repeated, a late question must not reach another call.
    if (pending?.wasAskedAside) this.#onStreamLost();
    // First, because the cancellation may need the connection that the request holds.
    pending?.abort();
    await super.send(message, { ...options, requestSignal: AbortSignal.timeout(CANCEL_MS) });
  }

  /** The SDK replaces its listener while it connects, so ours is put in front again whenever it is missing. */
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
    const pending = message.id === undefined ? undefined : this.#open.answered(message.id);
    if (!pending) return message;
    pending.answered();
    if (!isResult) return message;
    if (isTooMuch(message.result, pending.method)) {
      const happened = "The answer holds more values than can be checked.";
      return unanswered(pending, new OutboundError("too-large", happened, { mayHaveRun: true }));
    }
    return { ...message, result: repairResult(message.result, pending.method, this.protocolVersion) };
  }

  #unanswered(pending: PendingRequest): void {
    if (!this.#open.givenUp(pending.id) || pending.signal.aborted) return;
    this.onmessage?.(unanswered(pending, pending.fault));
  }
}

/** The message in place of an answer that is missing or too large. */
function unanswered({ id }: PendingRequest, fault: OutboundError | undefined): JSONRPCMessage {
  const error = { code: UNANSWERED, message: "there was no answer", ...(fault && { data: fault }) };
  return { jsonrpc: "2.0", id, error };
}

/** The outbound client, with the credential of the source. */
function withCredential({
  url,
  token,
  tokenHeader,
  oauth,
  outbound,
}: TransportOptions): Pick<Outbound, "fetch"> {
  if (oauth) return authorisedFetch(outbound, oauth, url);
  if (token === undefined || tokenHeader === undefined) return outbound;
  return headerFetch(outbound, { name: tokenHeader, value: token }, url);
}

/** Time for a server to end a stream after its answer. */
const LINGER_MS = 1_000;

interface PendingOptions {
  readonly signal: AbortSignal | undefined;
  readonly asker: Asker | undefined;
}

/** One request, from sending it to the end of the stream that answers it. */
export class PendingRequest {
  readonly id: string | number;
  readonly method: string;
  /** Asks the caller of the request, if there is one. */
  readonly asker: Asker | undefined;
  /** The server asked a question about it outside of the stream of a request. */
  wasAskedAside = false;
  /** The answer is a stream of events. */
  isStream = false;
  /** The reason why the stream broke, if known. */
  fault: OutboundError | undefined;
  readonly #controller = new AbortController();
  #linger: ReturnType<typeof setTimeout> | undefined;

  constructor({ id, method }: JSONRPCRequest, { signal, asker }: PendingOptions) {
    this.id = id;
    this.method = method;
    this.asker = asker;
    if (signal?.aborted) this.abort();
    signal?.addEventListener("abort", () => this.abort(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The answer has arrived. A server that then does not end the stream is cut off. */
  answered(): void {
    if (!this.isStream) return;
    this.#linger = setTimeout(() => this.abort(), LINGER_MS);
    this.#linger.unref();
  }

  /** The stream has ended. */
  end(): void {
    clearTimeout(this.#linger);
  }

  /** Drops the request and its connection. */
  abort(): void {
    this.end();
    this.#controller.abort();
  }
}

/** The unanswered requests of one session. */
export class PendingRequests {
  readonly #byId = new Map<string | number, PendingRequest>();
  #hasLoose = false;

  /** The server may still run calls that were given up here, and ask questions about them. */
  get hasLoose(): boolean {
    return this.#hasLoose;
  }

  add(pending: PendingRequest): void {
    this.#byId.set(pending.id, pending);
  }

  /** Removes a request that has been answered. */
  answered(id: string | number): PendingRequest | undefined {
    return this.#take(id);
  }

  /** Removes a request that will not be answered. */
  givenUp(id: string | number): PendingRequest | undefined {
    const pending = this.#take(id);
    if (pending?.asker) this.#hasLoose = true;
    return pending;
  }

  /**
   * The caller of a question that arrived on the stream of this request, or outside of any request. Many servers ask
   * there; then the caller is certain only if a single call can have asked.
   */
  askerOn(stream: PendingRequest | undefined): Asker | undefined {
    if (stream) return this.#byId.has(stream.id) ? stream.asker : undefined;
    const [only, ...others] = [...this.#byId.values()].filter(({ asker }) => asker !== undefined);
    if (only === undefined || others.length > 0 || this.#hasLoose) return undefined;
    only.wasAskedAside = true;
    return only.asker;
  }

  #take(id: string | number): PendingRequest | undefined {
    const pending = this.#byId.get(id);
    this.#byId.delete(id);
    return pending;
  }
}
