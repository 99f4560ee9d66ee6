import { CallError } from "../core/index.ts";

/** Limits of a connection. */
export interface ConnectionLimits {
  /** The largest envelope, in bytes of JSON. */
  readonly maxEnvelopeBytes: number;
  /** The largest envelope accepted from the other side, if smaller. */
  readonly maxReceivedBytes: number;
  /** Maximum nesting of the JSON of an envelope. */
  readonly maxNesting: number;
  /** Maximum concurrent calls of the other side; more are refused with RATE_LIMITED. */
  readonly maxIncomingCalls: number;
  /**
   * Maximum bytes of running requests, and of answers that wait to be sent; more end as errors of their
   * calls. A single one may be larger.
   */
  readonly maxHeldBytes: number;
  /** Default timeout of a call; subscriptions have none. */
  readonly deadlineMs: number;
  /** Time without credit after which a stream ends with SLOW_CONSUMER. */
  readonly slowConsumerMs: number;
  /** Time without reading by the other side after which the connection is closed. */
  readonly stalledMs: number;
  /** Maximum bytes of small envelopes that wait while the other side does not read. */
  readonly maxWaitingBytes: number;
}

/** An envelope over this size, or one of no bytes, is invalid on every transport. */
export const MAX_ENVELOPE_BYTES = 64 * 1024 * 1024;

/** Items that a producer may send before the consumer grants more. */
export const CREDIT_WINDOW = 32;

/** Default limits. */
export const DEFAULT_LIMITS: ConnectionLimits = Object.freeze({
  maxEnvelopeBytes: MAX_ENVELOPE_BYTES,
  maxReceivedBytes: MAX_ENVELOPE_BYTES,
  maxNesting: 128,
  maxIncomingCalls: 4_096,
  maxHeldBytes: 64 * 1024 * 1024,
  deadlineMs: 30_000,
  slowConsumerMs: 30_000,
  stalledMs: 60_000,
  maxWaitingBytes: 8 * 1024 * 1024,
});

/** Maximum number of nodes that a call passes. */
export const MAX_HOPS = 8;

/**
 * Reason to refuse a call by its path: it passed this node before, or it has passed too many
 * nodes. Each node that hands a call on adds its own id to the end of the list, so that a ring of any
 * length is seen by the first node that the call reaches twice.
 */
export function refuseLoop(hops: readonly string[], nodeId: string): CallError | undefined {
  if (hops.includes(nodeId)) {
    return refusal(
      "This call has passed this node before: the peers that it goes through form a ring. Call the operation under its own name, or at the node that has it.",
    );
  }
  if (hops.length < MAX_HOPS) return undefined;
  return refusal(`This call has passed ${hops.length} nodes, and ${MAX_HOPS} is the most.`);
}

/** The way of a call that this node hands on. */
export function addHop(hops: readonly string[], nodeId: string): readonly string[] {
  return [...hops, nodeId];
}

/** The same call goes the same way again, so that another try cannot help. */
function refusal(message: string): CallError {
  return new CallError("UNAVAILABLE", message, { retryable: false });
}
