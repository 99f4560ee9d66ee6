import type { Audit } from "../core/index.ts";
import type { AuditState } from "./audit-file.ts";

/** Upper bounds of the buckets that durations are counted in, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
/** Sources come and go; a gateway that lives long keeps no more series than this. */
const MAX_SERIES = 2_000;
/** Operations declare their own codes; beyond this many per namespace they are counted together. */
const MAX_OUTCOMES = 50;
const OTHER_OUTCOMES = "other";

/** Metrics for Prometheus. */
export interface Metrics {
  readonly audit: Audit;
  /** Everything that was counted, in the text format of Prometheus. */
  render(
    sources: readonly { readonly name: string; readonly state: string; readonly operations: number }[],
    more?: { readonly strayErrors?: ReadonlyMap<string, number>; readonly audit?: AuditState },
  ): string;
}

interface Durations {
  readonly counts: number[];
  sum: number;
  count: number;
}

/**
 * Counts calls by namespace and outcome, never by operation or caller: there may be a hundred thousand of the
 * one, and the other is private. Presets, which are few, are counted by name, so that old names can be ended. An unknown operation has no namespace, or any caller could create series.
 */
export function createMetrics(): Metrics {
  const calls = new Map<string, number>();
  const composed = new Map<string, number>();
  const presets = new Map<string, number>();
  const bytes = new Map<string, number>();
  const durations = new Map<string, Durations>();
  const outcomes = new Map<string, Set<string>>();

  /** One source must not take the room of the others. */
  function bounded(namespace: string, outcome: string): string {
    const known = outcomes.get(namespace) ?? new Set();
    outcomes.set(namespace, known);
    if (!known.has(outcome) && known.size >= MAX_OUTCOMES) return OTHER_OUTCOMES;
    known.add(outcome);
    return outcome;
  }

  function add(series: Map<string, number>, key: string, value: number): void {
    if (!series.has(key) && series.size >= MAX_SERIES) return;
    series.set(key, (series.get(key) ?? 0) + value);
  }

  return {
    audit({
      namespace = "",
      preset,
      outcome,
      decision,
      milliseconds,
      inputBytes,
      outputBytes,
      composed: isComposed,
    }) {
      const counted = labels({ namespace, outcome: bounded(namespace, outcome), decision });
      if (isComposed) return add(composed, counted, 1);
      add(calls, counted, 1);
      if (preset !== undefined) add(presets, labels({ preset }), 1);
      add(bytes, labels({ namespace, direction: "in" }), inputBytes);
      add(bytes, labels({ namespace, direction: "out" }), outputBytes);
      if (decision === "allowed") observe(durations, namespace, milliseconds / 1_000);
    },
    render: (sources, { strayErrors = new Map(), audit = { waiting: 0, lost: 0 } } = {}) =>
      [
        ...counter("pinhole_calls_total", "Calls from outside that have ended.", calls),
        ...counter(
          "pinhole_composed_calls_total",
          "Calls that operations made and that have ended.",
          composed,
        ),
        ...counter("pinhole_preset_calls_total", "Calls by the name of a preset or an alias.", presets),
        ...counter("pinhole_bytes_total", "Bytes of JSON in inputs and outputs.", bytes),
        ...histogram("pinhole_call_duration_seconds", "How long admitted calls took.", durations),
        ...gauge(
          "pinhole_source_healthy",
          "Whether a source could be imported the last time.",
          sources.map(({ name, state }) => [labels({ source: name }), state === "healthy" ? 1 : 0]),
        ),
        ...gauge(
          "pinhole_source_operations",
          "Operations of a source.",
          sources.map(({ name, operations }) => [labels({ source: name }), operations]),
        ),
        ...counter(
          "pinhole_stray_errors_total",
          "Errors outside of calls, by the source whose code left them behind.",
          new Map([...strayErrors].map(([source, count]) => [labels({ source }), count])),
        ),
        ...gauge("pinhole_audit_waiting_records", "Audit records that could not be written yet.", [
          ["", audit.waiting],
        ]),
        ...counter(
          "pinhole_audit_lost_records_total",
          "Audit records for which there was no room while none could be written.",
          new Map([["", audit.lost]]),
        ),
        ...gauge("process_resident_memory_bytes", "Memory of the process.", [
          ["", process.memoryUsage.rss()],
        ]),
        ...gauge("process_start_time_seconds", "When the process started, since 1970.", [
          ["", Math.round(Date.now() / 1_000 - process.uptime())],
        ]),
        "",
      ].join("\n"),
  };
}

function observe(durations: Map<string, Durations>, namespace: string, seconds: number): void {
  let known = durations.get(namespace);
  if (!known) {
    if (durations.size >= MAX_SERIES) return;
    known = { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
    durations.set(namespace, known);
  }
  const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
  if (bucket >= 0) known.counts[bucket] = (known.counts[bucket] ?? 0) + 1;
  known.sum += seconds;
  known.count++;
}

function counter(name: string, help: string, series: ReadonlyMap<string, number>): readonly string[] {
  return metric(name, { help, type: "counter" }, [...series]);
}

function gauge(
  name: string,
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): readonly string[] {
  return metric(name, { help, type: "gauge" }, values);
}

function metric(
  name: string,
  { help, type }: { readonly help: string; readonly type: string },
  values: readonly (readonly [labels: string, value: number])[],
): readonly string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...values.map(([label, value]) => `${name}${label} ${value}`),
  ];
}

function histogram(name: string, help: string, series: ReadonlyMap<string, Durations>): readonly string[] {
  const lines = [...series].flatMap(([namespace, { counts, sum, count }]) => {
    let below = 0;
    const buckets = BUCKETS.map((bound, index) => {
      below += counts[index] ?? 0;
      return `${name}_bucket${labels({ namespace, le: String(bound) })} ${below}`;
    });
    return [
      ...buckets,
      `${name}_bucket${labels({ namespace, le: "+Inf" })} ${count}`,
      `${name}_sum${labels({ namespace })} ${sum}`,
      `${name}_count${labels({ namespace })} ${count}`,
    ];
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines];
}

function labels(values: Readonly<Record<string, string>>): string {
  const shown = Object.entries(values).map(([key, value]) => `${key}="${escaped(value)}"`);
  return `{${shown.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
