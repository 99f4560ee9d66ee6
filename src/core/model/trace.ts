import type { Trace } from "./context.ts";

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-[\x21-\x7e]{0,200})?$/;
/** What a header can carry; these come by other ways too. */
const TRACESTATE = /^[\x20-\x7e]{0,512}$/;
/** Version 00 has four parts and no more; later versions may add more. */
const LENGTH_OF_00 = 55;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

/** The place of one call in a trace, as W3C Trace Context has it. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly sampled: boolean;
}

/** Reads a trace as it came; undefined where it breaks the rules of W3C Trace Context. */
export function parseTrace(traceparent: unknown, tracestate?: unknown): Trace | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, version, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === "ff" || traceId === NO_TRACE || spanId === NO_SPAN)
    return undefined;
  if (version === "00" && traceparent.length !== LENGTH_OF_00) return undefined;
  return typeof tracestate === "string" && TRACESTATE.test(tracestate)
    ? { traceparent, tracestate }
    : { traceparent };
}

/** Opens a span for a call: below the trace that it came with, or as the first of a new one. */
export function openSpan(trace: Trace | undefined): Span {
  const [, , traceId, parentSpanId, flags = "01"] = TRACEPARENT.exec(trace?.traceparent ?? "") ?? [];
  return {
    traceId: traceId ?? randomHex(16),
    spanId: randomHex(8),
    parentSpanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
  };
}

/** The trace that a call hands on to what it calls. */
export function traceOf(span: Span, came: Trace | undefined): Trace {
  const traceparent = `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`;
  return came?.tracestate === undefined ? { traceparent } : { traceparent, tracestate: came.tracestate };
}

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
