/** How long and how large an answer may be. */
export interface Limits {
  /** From the request until the answer begins. */
  readonly headersTimeoutMs: number;
  /** The longest silence within a body; streams of events may be silent for ever. */
  readonly bodyTimeoutMs: number;
  /** Streams of events have no limit. */
  readonly maxResponseBytes: number;
}
