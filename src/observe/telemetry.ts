import { type Audit, type AuditEntry, type Log, messageOf, type Span } from "../core/index.ts";
import type { Outbound } from "../outbound/index.ts";

const EVERY_MS = 5_000;
const MOST_AT_ONCE = 512;
/** A collector that is away must not fill the memory: beyond this the newest spans are dropped. */
const MAX_WAITING = 4_096;

const ERROR_STATUS = { code: 2 };
const SERVER_SPAN = 2;
const INTERNAL_SPAN = 1;

/** Options of the exporter. */
interface TelemetryOptions {
  /** The address that takes traces, usually ending in /v1/traces. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly outbound: Outbound;
  readonly version: string;
  readonly log: Log;
}

/** Sends a span for every call to a collector. */
export interface Telemetry {
  readonly audit: Audit;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

type Traced = AuditEntry & { readonly span: Span };

/** Sends spans as OTLP over HTTP in JSON, which every OpenTelemetry collector accepts (decision 029). */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { log, outbound, url } = options;
  let waiting: Traced[] = [];
  let dropped = 0;
  let failing = false;
  let sending: Promise<void> = Promise.resolve();
  const timer = setInterval(flush, EVERY_MS);
  timer.unref();

  function flush(): void {
    sending = sending.then(sendAll);
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const spans = waiting.splice(0, MOST_AT_ONCE);
      const sent = await send(spans);
      if (sent) continue;
      // Kept for the next time, as far as there is room.
      waiting = [...spans, ...waiting].slice(0, MAX_WAITING);
      return;
    }
  }

  async function send(spans: readonly Traced[]): Promise<boolean> {
    try {
      const response = await outbound.fetch(url, {
        method: "POST",
        headers: { ...options.headers, "content-type": "application/json" },
        body: JSON.stringify(toOtlp(spans, options.version)),
        signal: AbortSignal.timeout(10_000),
      });
      await response.body?.cancel();
      if (response.status < 300) {
        if (failing) log.warn("Traces are taken again", { dropped });
        failing = false;
        dropped = 0;
        return true;
      }
      return complain(`it answered ${response.status}`, response.status);
    } catch (error) {
      return complain(messageOf(error));
    }
  }

  /** Spans that the collector rejects for good are not sent again. */
  function complain(reason: string, status = 503): boolean {
    const isFinal = status >= 400 && status < 500 && status !== 429;
    if (!failing) log.warn("Traces cannot be sent", { to: url.origin, reason, dropped });
    failing = true;
    return isFinal;
  }

  return {
    audit(entry) {
      if (!entry.span?.sampled) return;
      if (waiting.length >= MAX_WAITING) dropped++;
      else waiting.push(entry as Traced);
      if (waiting.length === MOST_AT_ONCE) flush();
    },
    async close() {
      clearInterval(timer);
      flush();
      await sending;
    },
  };
}

function toOtlp(entries: readonly Traced[], version: string): unknown {
  const resource = {
    attributes: [attribute("service.name", "pinhole"), attribute("service.version", version)],
  };
  const scopeSpans = [{ scope: { name: "pinhole", version }, spans: entries.map(toSpan) }];
  return { resourceSpans: [{ resource, scopeSpans }] };
}

function toSpan(entry: Traced): unknown {
  const { span, startedAt, milliseconds, outcome, composed } = entry;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    // A name that a caller made up would create a new kind of span in the collector.
    name: entry.namespace === undefined ? "unknown operation" : entry.operation,
    kind: composed ? INTERNAL_SPAN : SERVER_SPAN,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(startedAt + milliseconds),
    attributes: [
      attribute("pinhole.request_id", entry.requestId),
      attribute("pinhole.outcome", outcome),
      attribute("pinhole.decision", entry.decision),
      attribute("enduser.id", entry.principal),
    ],
    ...(outcome !== "ok" && outcome !== "dry" && { status: ERROR_STATUS }),
  };
}

function attribute(key: string, value: string): unknown {
  return { key, value: { stringValue: value } };
}

/** As text: the number is beyond the range of JSON numbers. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds)}000000`;
}
