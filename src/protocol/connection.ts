import { FLOODED, type Log, SILENT_LOG, UnaskedMessages } from "../core/index.ts";
import {
  CostlyEnvelope,
  type EventEnvelope,
  ProtocolViolation,
  readEnvelope,
  toCallError,
  writeEnvelope,
} from "./envelope.ts";
import { disconnected, givenUp, nothingServed, unreadAnswer, unreadRequest } from "./failures.ts";
import { IncomingCalls } from "./incoming-calls.ts";
import { type ConnectionLimits, DEFAULT_LIMITS } from "./limits.ts";
import { Outbox } from "./outbox.ts";
import { type CallOptions, OutgoingCalls } from "./outgoing-calls.ts";
import { type CloseReason, type Service, SYSTEM_TIMERS, type Timers, type Transport } from "./ports.ts";

/** Options of a connection. */
interface ConnectionOptions {
  readonly transport: Transport;
  /** Answers the calls of the other side; without one they are all NOT_FOUND. */
  readonly service?: Service;
  readonly limits?: Partial<ConnectionLimits>;
  readonly timers?: Timers;
  readonly log?: Log;
}

/** Counts of open calls on a connection. */
interface PendingCounts {
  /** Calls of this side. */
  readonly outgoing: number;
  /** Calls of the other side, its streams among them. */
  readonly incoming: number;
  readonly incomingStreams: number;
  /** Number of senders that wait for the other side to read. */
  readonly waitingForRoom: number;
}

/** A connection of two nodes; either may call the other. */
export interface Connection {
  /** Calls a query or mutation of the other side. Rejects with CallErrors. */
  call(operation: string, input?: unknown, options?: CallOptions): Promise<unknown>;
  /**
   * Starts a subscription on the other side, at once. Errors of the call are thrown by the first
   * `next`; leaving the loop ends it on the other side too.
   */
  subscribe(
    operation: string,
    input?: unknown,
    options?: CallOptions,
  ): AsyncIterableIterator<unknown, undefined>;
  /** Closes it: pending calls fail with UNAVAILABLE, served calls are aborted. */
  close(reason?: Partial<CloseReason>): void;
  /** The reason of the end, once it has ended. */
  readonly closed: Promise<CloseReason>;
  pending(): PendingCounts;
}

/** Created once: a node that serves nothing may get very many requests. */
const NOTHING_SERVED = nothingServed().toJSON();
const NO_SERVICE: Service = {
  call: () => Promise.reject(nothingServed()),
  subscribe: () => Promise.reject(nothingServed()),
};

/**
 * Speaks the call protocol over a transport.
 *
 *     const connection = createConnection({ transport });
 *     await connection.call("demo/greet", { name: "Ada" });
 *     for await (const item of connection.subscribe("time/countdown", { from: 3 })) console.log(item);
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { transport, service, timers = SYSTEM_TIMERS, log = SILENT_LOG } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const outbox = new Outbox({
    transport,
    timers,
    limits,
    onStalled: (message) => end({ code: "stalled", message }),
  });
  const { maxSentBytes = limits.maxEnvelopeBytes } = transport;
  const sendLimits = { ...limits, maxEnvelopeBytes: Math.min(maxSentBytes, limits.maxEnvelopeBytes) };
  const incoming = new IncomingCalls({
    service: service ?? NO_SERVICE,
    outbox,
    timers,
    limits: sendLimits,
    log,
  });
  const unasked = new UnaskedMessages(() => timers.now());
  const onGivenUp = (envelopes: number) => unasked.expect(envelopes);
  const outgoing = new OutgoingCalls({ outbox, timers, limits: sendLimits, onGivenUp });
  let open = true;
  let tellClosed: (reason: CloseReason) => void;
  const closed = new Promise<CloseReason>((resolve) => {
    tellClosed = resolve;
  });

  function end(reason: CloseReason): void {
    if (!open) return;
    open = false;
    outbox.close();
    transport.close(reason);
    outgoing.close(reason);
    incoming.abortAll(disconnected(reason));
    tellClosed(reason);
  }

  function receive(bytes: Uint8Array): void {
    if (!open) return;
    try {
      const wasAsked = handle(readEnvelope(bytes, limits), bytes.byteLength);
      if (!wasAsked && !unasked.take(bytes.byteLength))
        end({ code: "flooded", message: `The peer ${FLOODED}.` });
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      if (error instanceof CostlyEnvelope && refuse(error, bytes.byteLength)) return;
      end({ code: "protocol", message: error.message });
    }
  }

  /** Ends the call of an envelope that was not read. Returns false if it belongs to no call. */
  function refuse({ type, id, message }: CostlyEnvelope, size: number): boolean {
    const isAnswer = type === "call.responded";
    if (isAnswer !== outgoing.has(id) || incoming.has(id)) return false;
    if (isAnswer) outgoing.failed(id, unreadAnswer(message));
    else outbox.send(writeEnvelope("call.error", id, unreadRequest(message).toJSON()));
    return isAnswer || unasked.take(size);
  }

  /**
   * Handles an envelope; false if this side did not ask for it. Envelopes with an unknown id are ignored: they
   * crossed the end of their call on the way.
   */
  function handle({ type, id, payload }: EventEnvelope, size: number): boolean {
    switch (type) {
      case "call.requested":
        if (incoming.has(id) || outgoing.has(id)) {
          throw new ProtocolViolation("The id of a call.requested belongs to a call that has not ended.");
        }
        if (service) return incoming.start(id, payload, size);
        outbox.send(writeEnvelope("call.error", id, NOTHING_SERVED));
        return false;
      case "call.responded":
      case "call.completed":
      case "call.error": {
        const wasAsked = outgoing.has(id);
        if (type === "call.responded") outgoing.responded(id, payload.output, payload);
        else if (type === "call.completed") outgoing.completed(id, payload);
        else outgoing.failed(id, toCallError(payload), payload);
        return wasAsked;
      }
      case "call.progress":
        return outgoing.progressed(id, payload);
      case "call.credit": {
        const isServed = incoming.has(id);
        incoming.grant(id, payload.n);
        return isServed;
      }
      case "call.aborted": {
        const isKnown = incoming.has(id) || outgoing.has(id);
        if (outgoing.has(id)) outgoing.failed(id, givenUp());
        else incoming.abort(id);
        return isKnown;
      }
      case "connection.closed":
        end({ code: "closed", message: payload.reason });
        return true;
    }
  }

  transport.open({ message: receive, drained: () => outbox.drained(), closed: end });

  return {
    call: (operation, input, given) => outgoing.call(operation, input, given),
    subscribe: (operation, input, given) => outgoing.subscribe(operation, input, given),
    close: ({ code = "closed", message = "It was closed on purpose." } = {}) => end({ code, message }),
    closed,
    pending: () => ({
      outgoing: outgoing.size,
      incoming: incoming.size,
      incomingStreams: incoming.streams,
      waitingForRoom: outbox.waiting,
    }),
  };
}
