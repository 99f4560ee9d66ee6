import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "../core/index.ts";
import { createMetrics } from "./metrics.ts";

const ENTRY: AuditEntry = {
  requestId: "1",
  parentRequestId: undefined,
  composed: false,
  remoteRequestId: undefined,
  principal: "ada",
  identity: "ada",
  forwardedFor: undefined,
  operation: "pets/list",
  namespace: "pets",
  decision: "allowed",
  outcome: "ok",
  startedAt: 0,
  milliseconds: 3,
  inputBytes: 10,
  outputBytes: 20,
  traceparent: undefined,
  span: undefined,
};
const NOTHING = { input: undefined, output: undefined };

function render(
  entries: readonly Partial<AuditEntry>[],
  sources: Parameters<ReturnType<typeof createMetrics>["render"]>[0] = [],
) {
  const metrics = createMetrics();
  for (const entry of entries) metrics.audit({ ...ENTRY, ...entry }, NOTHING);
  return metrics.render(sources).split("\n");
}

test("metrics count calls by namespace, outcome and decision, with their bytes", () => {
  const lines = render([{}, {}, { outcome: "TIMEOUT" }, { outcome: "FORBIDDEN", decision: "refused" }]);
  assert.ok(lines.includes('pinhole_calls_total{namespace="pets",outcome="ok",decision="allowed"} 2'));
  assert.ok(lines.includes('pinhole_calls_total{namespace="pets",outcome="TIMEOUT",decision="allowed"} 1'));
  assert.ok(lines.includes('pinhole_calls_total{namespace="pets",outcome="FORBIDDEN",decision="refused"} 1'));
  assert.ok(lines.includes('pinhole_bytes_total{namespace="pets",direction="out"} 80'));
});

test("metrics count a call to an unknown operation without a namespace, and composed calls separately", () => {
  const lines = render([
    { namespace: undefined, outcome: "NOT_FOUND", decision: "refused" },
    { composed: true, parentRequestId: "0" },
  ]);
  assert.ok(lines.includes('pinhole_calls_total{namespace="",outcome="NOT_FOUND",decision="refused"} 1'));
  assert.equal(lines.filter((line) => line.startsWith("pinhole_calls_total{")).length, 1);
  assert.ok(
    lines.includes('pinhole_composed_calls_total{namespace="pets",outcome="ok",decision="allowed"} 1'),
  );
  assert.ok(!lines.join().includes("pets/list"));
});

test("metrics count an item of a batch as a call from outside", () => {
  const lines = render([{ parentRequestId: "batch" }]);
  assert.ok(lines.includes('pinhole_calls_total{namespace="pets",outcome="ok",decision="allowed"} 1'));
});

test("metrics have a histogram of the durations of admitted calls", () => {
  const lines = render([{}, { milliseconds: 60_000 }, { milliseconds: 1, decision: "refused" }]);
  const bucket = (le: string) =>
    lines.find((line) =>
      line.startsWith(`pinhole_call_duration_seconds_bucket{namespace="pets",le="${le}"}`),
    );
  assert.match(bucket("0.0025") ?? "", / 0$/);
  assert.match(bucket("0.005") ?? "", / 1$/);
  assert.match(bucket("30") ?? "", / 1$/);
  assert.match(bucket("+Inf") ?? "", / 2$/);
  assert.ok(lines.includes('pinhole_call_duration_seconds_count{namespace="pets"} 2'));
});

test("metrics show the state of each source, and escape label values", () => {
  const lines = render([], [{ name: 'a"b\\c\nd', state: "unhealthy", operations: 3 }]);
  assert.ok(lines.includes('pinhole_source_healthy{source="a\\"b\\\\c\\nd"} 0'));
  assert.ok(lines.includes('pinhole_source_operations{source="a\\"b\\\\c\\nd"} 3'));
});

test("metrics have a bounded number of series, however many namespaces come and go", () => {
  const lines = render(Array.from({ length: 5_000 }, (_, index) => ({ namespace: `n${index}` })));
  assert.ok(lines.filter((line) => line.startsWith("pinhole_calls_total{")).length <= 2_000);
});

test("a source with many error codes does not use up the series of others, and all its calls are counted", () => {
  const made = Array.from({ length: 5_000 }, (_, index) => ({ namespace: "evil", outcome: `CODE_${index}` }));
  const lines = render([...made, { namespace: "good" }]);
  const counted = lines.filter((line) => line.startsWith('pinhole_calls_total{namespace="evil"'));
  assert.equal(counted.length, 51);
  assert.equal(
    counted.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0),
    5_000,
  );
  assert.ok(lines.includes('pinhole_calls_total{namespace="good",outcome="ok",decision="allowed"} 1'));
});
