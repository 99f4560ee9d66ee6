/** What a connection holds on to at most. */
export interface ConnectionLimits {
  /** The largest envelope, in bytes of JSON. */
  readonly maxEnvelopeBytes: number;
  /** The largest that is taken from the other side, where that is less. */
  readonly maxReceivedBytes: number;
  /** How deep the JSON of an envelope may be nested. */
  readonly maxNesting: number;
  /** How many calls of the other side run at the same time; more are refused with RATE_LIMITED. */
  readonly maxIncomingCalls: number;
  /**
   * How many bytes of requests may run at the same time, and of answers wait for room; more end as errors of their
   * calls. A single one may be larger.
   */
  readonly maxHeldBytes: number;
  /** How long a call may take that does not say so itself; subscriptions have no such limit. */
  readonly deadlineMs: number;
  /** How long a consumer may leave a stream without credit before it gets SLOW_CONSUMER. */
  readonly slowConsumerMs: number;
  /** How long the other side may take nothing off the wire before the connection is closed. */
  readonly stalledMs: number;
  /** How many bytes of small envelopes may pile up while the other side takes nothing. */
  readonly maxWaitingBytes: number;
}

/** An envelope over this size, or one of no bytes, is invalid on every transport. */
export const MAX_ENVELOPE_BYTES = 64 * 1024 * 1024;

/** How many items a producer may send before the consumer grants more. */
export const CREDIT_WINDOW = 32;

/** What holds where nothing else is said. */
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
