import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation, definePlugin, SILENT_LOG } from "../core/index.ts";
import type { Outbound } from "../outbound/index.ts";
import { createRuntime } from "../runtime.ts";
import { createTelemetry } from "./telemetry.ts";

const inner = defineOperation({
  name: "demo/inner",
  type: "query",
  description: "For a test.",
  handler: () => 1,
});
const outer = defineOperation({
  name: "demo/outer",
  type: "query",
  description: "For a test.",
  composes: ["demo/*"],
  handler: (_, { env, trace }) => env.invoke("demo/inner").then(() => trace),
});
const sources = [definePlugin({ name: "demo", operations: [inner, outer] })];
const came = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code: number };
}

/** A collector that answers with these statuses, one after the other, the last one for ever. */
function collector(...statuses: number[]) {
  const bodies: { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] }[] = [];
  const warnings: unknown[] = [];
  const outbound = {
    fetch: async (_url: URL, init: RequestInit) => {
      bodies.push(JSON.parse(String(init.body)));
      return new Response(null, { status: (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200 });
    },
  } as unknown as Outbound;
  const telemetry = createTelemetry({
    url: new URL("http://collector.example/v1/traces"),
    headers: {},
    outbound,
    version: "1",
    log: { ...SILENT_LOG, warn: (...said) => warnings.push(said) },
  });
  const spans = () =>
    bodies.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap((each) => each.scopeSpans.flatMap((s) => s.spans)),
    );
  return { telemetry, bodies, warnings, spans };
}

test("every call is a span below the caller's span, and composed calls are below their composer", async () => {
  const { telemetry, spans } = collector(200);
  const { dispatch } = createRuntime({ sources, audit: telemetry.audit, traced: true });
  const handedOn = (await dispatch.invoke({ operation: "demo/outer" }, { trace: came })) as typeof came;
  await dispatch.invoke({ operation: "made/up" }).catch(() => {});
  await telemetry.close();
  const [innerSpan, outerSpan, unknown] = spans();
  assert.equal(outerSpan?.traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
  assert.equal(outerSpan?.parentSpanId, "00f067aa0ba902b7");
  assert.equal(handedOn.traceparent, `00-${outerSpan?.traceId}-${outerSpan?.spanId}-01`);
  assert.deepEqual(
    [innerSpan?.name, innerSpan?.traceId, innerSpan?.parentSpanId, innerSpan?.kind, outerSpan?.kind],
    ["demo/inner", outerSpan?.traceId, outerSpan?.spanId, 1, 2],
  );
  assert.deepEqual([unknown?.name, unknown?.status], ["unknown operation", { code: 2 }]);
  assert.ok(BigInt(outerSpan?.endTimeUnixNano ?? 0) >= BigInt(outerSpan?.startTimeUnixNano ?? 1));
});

test("a trace that its caller did not sample is not sent", async () => {
  const { telemetry, bodies } = collector(200);
  const { dispatch } = createRuntime({ sources, audit: telemetry.audit, traced: true });
  await dispatch.invoke(
    { operation: "demo/outer" },
    { trace: { traceparent: came.traceparent.replace(/1$/, "0") } },
  );
  await telemetry.close();
  assert.equal(bodies.length, 0);
});

test("spans are sent again after a transient failure of the collector, and dropped after a permanent one; calls go on", async () => {
  for (const [status, times] of [
    [503, 2],
    [400, 1],
  ] as const) {
    const { telemetry, bodies, warnings } = collector(status, 200);
    const { dispatch } = createRuntime({ sources, audit: telemetry.audit, traced: true });
    await dispatch.invoke({ operation: "demo/inner" });
    await telemetry.close();
    await telemetry.close();
    assert.equal(bodies.length, times, `after ${status}`);
    assert.match(JSON.stringify(warnings[0]), /Traces cannot be sent/);
  }
});
