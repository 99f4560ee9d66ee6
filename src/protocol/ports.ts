import { LONGEST_TIMER_MS, type Progress } from "../core/index.ts";
import type { CallRequest } from "./envelope.ts";

/** Reason of the end of a connection. */
export interface CloseReason {
  /**
   * `closed`: one side wished it. `leaving`: one side stops serving; connect again later. `protocol`: the
   * other side broke the protocol. `flooded`: it sent too much that nothing asked for. `stalled`: it took nothing off
   * the wire. `lost`: the wire broke.
   */
  readonly code: "closed" | "leaving" | "protocol" | "flooded" | "stalled" | "lost";
  /** One sentence for people. */
  readonly message: string;
}

/** Callbacks of a transport. */
export interface Receiver {
  /** One whole envelope, as it came. */
  message(bytes: Uint8Array): void;
  /** There is room again, after a `send` that answered false. */
  drained(): void;
  /** The wire is gone; nothing follows. */
  closed(reason: CloseReason): void;
}

/** Carries envelopes: in order, whole, until it closes. */
export interface Transport {
  /** The largest envelope that the other side accepts, if it has said so. */
  readonly maxSentBytes?: number | undefined;
  /** Called once, before anything else. Delivers envelopes that arrived earlier. */
  open(receiver: Receiver): void;
  /** Sends one envelope. False: it is taken, but more should wait until the receiver is told `drained`. */
  send(text: string): boolean;
  /** Flushes, sends the reason if the transport can carry it, and closes. */
  close(reason: CloseReason): void;
}

/** Messages of a service about a call, besides its answer. */
export interface CallReport {
  /** Sets the id of the call in this side's log; it is sent with the answer. */
  named(requestId: string): void;
  /** Sets what the caller should know beside the output; it is sent with the answer. */
  noted(note: string): void;
  /** Tells a caller that wants to know how far the call is; some of it may be dropped. */
  progress(update: Progress): void;
}

/** Serves the calls of the other side. Both methods throw CallErrors; anything else becomes INTERNAL. */
export interface Service {
  /** One answer. The signal aborts when the caller no longer waits. */
  call(request: CallRequest, signal: AbortSignal, report: CallReport): Promise<unknown>;
  /** Items, pulled one at a time as the other side grants credit. `return` is called when the consumer stops. */
  subscribe(
    request: CallRequest,
    signal: AbortSignal,
    report: CallReport,
  ): Promise<AsyncIterator<unknown>> | AsyncIterator<unknown>;
}

/** The clock and the timers of a connection: handed in, so that a test can own time. */
export interface Timers {
  /** Milliseconds that only ever grow. */
  now(): number;
  start(run: () => void, milliseconds: number): unknown;
  stop(timer: unknown): void;
}

/** The timers of the machine. They do not keep a program alive: an open connection does. */
export const SYSTEM_TIMERS: Timers = {
  now: () => performance.now(),
  start(run, milliseconds) {
    const timer: unknown = setTimeout(run, Math.min(milliseconds, LONGEST_TIMER_MS));
    // A browser's timer is a number and holds nothing.
    if (typeof timer === "object") (timer as { unref?(): void }).unref?.();
    return timer;
  },
  stop: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
