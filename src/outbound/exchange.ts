import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { LONGEST_TIMER_MS } from "../core/index.ts";
import {
  decideBodyKind,
  declaredLengthOf,
  type Incoming,
  type IncomingHead,
  type ResponseBodyKind,
} from "./incoming.ts";
import {
  abortedBy,
  deadlinePassed,
  fellSilent,
  type OutboundError,
  type Stage,
  toOutboundError,
  tooLarge,
} from "./outbound-error.ts";
import type { Outgoing } from "./outgoing.ts";

/** Limits on the time and size of a response. */
export interface ExchangeLimits {
  /** Time from the request until the response begins. */
  readonly headersTimeoutMs: number;
  /** The longest silence within a body; event streams may be silent for ever. */
  readonly bodyTimeoutMs: number;
  /** Event streams have no limit. */
  readonly maxResponseBytes: number;
}

/** Bytes buffered for a slow reader before the service has to wait. */
const STREAM_BUFFER_BYTES = 65_536;

/** Sends one request. Resolves when a short response is complete, or as soon as a stream begins. */
export function exchange(
  request: Outgoing,
  { dispatcher, limits }: { readonly dispatcher: Dispatcher; readonly limits: ExchangeLimits },
): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    new Exchange(request, limits, { resolve, reject }).start(dispatcher);
  });
}

interface Promised {
  readonly resolve: (incoming: Incoming) => void;
  readonly reject: (error: OutboundError) => void;
}

/**
 * One request and its response. It calls the dispatcher directly, because an abort must not wait until a
 * connection is free, and because only the dispatcher's handler knows whether anything was sent.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: Outgoing;
  readonly #limits: ExchangeLimits;
  readonly #promised: Promised;
  readonly #cutoff: Cutoff;
  readonly #chunks: Uint8Array[] = [];
  #upload: Readable | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #over = false;
  #head: IncomingHead | undefined;
  #kind: ResponseBodyKind = "none";
  #received = 0;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(request: Outgoing, limits: ExchangeLimits, promised: Promised) {
    this.#request = request;
    this.#limits = limits;
    this.#promised = promised;
    this.#cutoff = new Cutoff(request, (by) => this.#fail(this.#errorOf(by)));
    const already = Cutoff.already(request);
    if (already) this.#fail(this.#errorOf(already));
  }

  start(dispatcher: Dispatcher): void {
    if (this.#over) return;
    const { url, method, headers, body } = this.#request;
    if (body instanceof ReadableStream) {
      this.#upload = Readable.fromWeb(body).on("error", (error) => this.onResponseError(undefined, error));
    }
    const content = body instanceof ReadableStream ? this.#upload : body;
    const path = `${url.pathname}${url.search}`;
    const message = { origin: url.origin, path, method, headers: headers.flat(), body: content ?? null };
    dispatcher.dispatch(message, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing keeps the connection open; an abort would close it.
    if (this.#over) throw new Error("The request was over before it began");
    this.#controller = controller;
    this.#sent = true;
  }

  onRequestSent(): void {
    if (!this.#over && this.#head === undefined) this.#cutoff.listen(this.#limits.headersTimeoutMs);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHead["headers"],
    statusText = "",
  ): void {
    if (status < 200 || this.#over) return;
    const head = { status, statusText, headers };
    this.#head = head;
    this.#cutoff.rest();
    this.#kind = decideBodyKind(this.#request.method, head);
    if (this.#kind === "whole" || this.#kind === "stream") {
      this.#allow(declaredLengthOf(headers) ?? 0);
      if (this.#over) return;
      this.#cutoff.listen(this.#limits.bodyTimeoutMs);
    }
    if (this.#kind === "stream" || this.#kind === "events") {
      this.#promised.resolve({ ...head, body: this.#openStream() });
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#over || this.#kind === "none") return;
    this.#received += chunk.length;
    if (this.#kind !== "events") this.#allow(this.#received);
    if (this.#over) return;
    this.#cutoff.heard();
    if (this.#stream === undefined) {
      this.#chunks.push(chunk);
      return;
    }
    this.#stream.enqueue(chunk);
    if ((this.#stream.desiredSize ?? 0) > 0) return;
    controller.pause();
    // Now the reader is slow, not the service.
    this.#cutoff.rest();
  }

  onResponseEnd(): void {
    if (this.#over || this.#head === undefined) return;
    this.#finish();
    if (this.#stream) this.#stream.close();
    else this.#promised.resolve({ ...this.#head, body: this.#kind === "none" ? undefined : this.#bytes() });
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#fail(toOutboundError(error, this.#stage));
  }

  get #stage(): Stage {
    return { origin: this.#request.url.origin, sent: this.#sent };
  }

  #openStream(): ReadableStream<Uint8Array> {
    const source = {
      start: (stream: ReadableStreamDefaultController<Uint8Array>) => {
        this.#stream = stream;
      },
      pull: () => {
        if (this.#over || !this.#controller?.paused) return;
        if (this.#kind !== "events") this.#cutoff.listen(this.#limits.bodyTimeoutMs);
        this.#controller.resume();
      },
      cancel: () => {
        this.#finish();
        this.#controller?.abort(new Error("The reader of the response has gone"));
      },
    };
    return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: STREAM_BUFFER_BYTES }));
  }

  #bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#received);
    let offset = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    return bytes;
  }

  #allow(bytes: number): void {
    const { maxResponseBytes } = this.#limits;
    if (bytes > maxResponseBytes) this.#fail(tooLarge(this.#request.url.origin, maxResponseBytes));
  }

  #errorOf(by: Cut): OutboundError {
    if (by === "silence") {
      const { headersTimeoutMs, bodyTimeoutMs } = this.#limits;
      const begun = this.#head !== undefined;
      return fellSilent(this.#stage, begun ? bodyTimeoutMs : headersTimeoutMs, begun);
    }
    const { signal } = this.#request;
    return by === "signal" && signal ? abortedBy(signal, this.#stage) : deadlinePassed(this.#stage);
  }

  #fail(error: OutboundError): void {
    if (this.#over) return;
    this.#finish();
    this.#promised.reject(error);
    this.#stream?.error(error);
    this.#upload?.destroy();
    this.#controller?.abort(error);
  }

  #finish(): void {
    this.#over = true;
    this.#cutoff.end();
  }
}

type CutoffOptions = Pick<Outgoing, "signal" | "deadline">;

/** Reason why a request ended early. */
type Cut = "signal" | "deadline" | "silence";

/** Watches the signal, the deadline and the silences of one request until it ends. */
class Cutoff {
  readonly #options: CutoffOptions;
  readonly #onAbort: () => void;
  readonly #onSilence: () => void;
  readonly #deadline: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CutoffOptions, cut: (by: Cut) => void) {
    this.#options = options;
    this.#onAbort = () => cut("signal");
    this.#onSilence = () => cut("silence");
    const { signal, deadline } = options;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (deadline !== undefined) {
      const remaining = Math.min(Math.max(deadline - performance.now(), 0), LONGEST_TIMER_MS);
      this.#deadline = setTimeout(() => cut("deadline"), remaining);
    }
  }

  /** The reason to end a request before it begins, if there is one. */
  static already({ signal, deadline }: CutoffOptions): Cut | undefined {
    if (signal?.aborted) return "signal";
    return deadline !== undefined && deadline <= performance.now() ? "deadline" : undefined;
  }

  /** Starts the timer for silence. */
  listen(silenceMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.#onSilence, silenceMs);
  }

  /** Restarts the timer for silence. */
  heard(): void {
    this.#silence?.refresh();
  }

  /** Stops the timer for silence. */
  rest(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /** Stops all timers and listeners. */
  end(): void {
    this.rest();
    clearTimeout(this.#deadline);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }
}
