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
  readonly outbound: Pick<Outbound, "fetch"> & Partial<Pick<Outbound, "delay">>;
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
  readonly #open = new PendingRequests();
  /** Which request is being fetched for; the SDK does not say. */
  readonly #current: AsyncLocalStorage<PendingRequest>;
  /** For whom requests are sent. */
  readonly #asking = new AsyncLocalStorage<Asker>();
  readonly #unasked: UnaskedStream;
  readonly #onStreamLost: () => void;
  #deliver: ((message: JSONRPCMessage) => void) | undefined;

  constructor(options: TransportOptions) {
    const { url, token, tokenHeader, onStreamLost, onFlood } = options;
    const current = new AsyncLocalStorage<PendingRequest>();
    const unasked = new UnaskedStream(onStreamLost);
    super(url, {
      fetch: guardFetch(wayOf(options), { unasked, request: () => current.getStore(), onFlood }),
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
    // An answer that is no stream is complete by now, even if it answers nothing.
    if (!pending.isStream) this.#unanswered(pending);
  }

  /** Before 2026-07-28 a server need not end a stream whose request was cancelled, so we do. */
  async #cancel(message: JSONRPCNotification, options: SendOptions): Promise<void> {
    const pending = this.#open.givenUp(message.params?.requestId as string | number);
    // Should it be made again, its question must not be mistaken for that of another call.
    if (pending?.wasAskedAside) this.#onStreamLost();
    // First, since the cancellation may have to wait for the connection that the request holds.
    pending?.abort();
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

/** What stands for an answer that did not come, or cannot be taken. */
function unanswered({ id }: PendingRequest, fault: OutboundError | undefined): JSONRPCMessage {
  const error = { code: UNANSWERED, message: "there was no answer", ...(fault && { data: fault }) };
  return { jsonrpc: "2.0", id, error };
}

/** The way out, with whatever is presented on it. */
function wayOf({ url, token, tokenHeader, oauth, outbound }: TransportOptions): Pick<Outbound, "fetch"> {
  if (oauth) return authorisedFetch(outbound, oauth, url);
  if (token === undefined || tokenHeader === undefined) return outbound;
  return headerFetch(outbound, { name: tokenHeader, value: token }, url);
}

/** How long a server may keep a stream open after it has answered on it. */
const LINGER_MS = 1_000;

/** Who may stop a request, and who can be asked about it. */
interface PendingOptions {
  readonly signal: AbortSignal | undefined;
  readonly asker: Asker | undefined;
}

/** One request that is on its way, from sending it to the end of the stream that answers it. */
export class PendingRequest {
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
export class PendingRequests {
  readonly #byId = new Map<string | number, PendingRequest>();
  #hasLoose = false;

  /** Whether the server may still be running calls, and asking about them, that were given up here. */
  get hasLoose(): boolean {
    return this.#hasLoose;
  }

  add(pending: PendingRequest): void {
    this.#byId.set(pending.id, pending);
  }

  /** Takes out the one that has been answered. */
  answered(id: string | number): PendingRequest | undefined {
    return this.#take(id);
  }

  /** Takes out one that will not be answered any more. */
  givenUp(id: string | number): PendingRequest | undefined {
    const pending = this.#take(id);
    if (pending?.asker) this.#hasLoose = true;
    return pending;
  }

  /**
   * Whose question it is that came in on the stream of this request, or on no request's stream. Many servers ask
   * there; then it is certain only where a single call can have asked.
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
