import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type RuntimeOptions } from "../../runtime.ts";
import type { Log, OperationContext, UnknownRecord } from "../model/index.ts";
import { defineOperation } from "../model/index.ts";

const TRACE = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };

function runtimeWith(handler: (context: OperationContext) => unknown, options: RuntimeOptions = {}) {
  const operation = defineOperation({
    name: "demo/run",
    type: "query",
    description: "Runs a handler.",
    handler: (_input, context) => handler(context),
  });
  return createRuntime({ sources: [{ source: { name: "mine" }, registrations: [operation] }], ...options });
}

function recordingLog() {
  const lines: { readonly level: string; readonly message: string; readonly fields: UnknownRecord }[] = [];
  const at =
    (level: string) =>
    (message: string, fields: UnknownRecord = {}) => {
      JSON.stringify(fields);
      lines.push({ level, message, fields });
    };
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { log, lines };
}

test("context.fetch goes out by the client of the host, with the trace, and ends with the call", async () => {
  const seen: RequestInit[] = [];
  const fetch = async (_url: string | URL, init: RequestInit) => {
    seen.push(init);
    return new Promise<Response>((_, reject) => {
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  };
  const handler = (context: OperationContext) =>
    context.fetch("https://api.example.com", { headers: { "x-mine": "1" } });
  const { dispatch } = runtimeWith(handler, { fetch });
  const leaving = new AbortController();
  const call = dispatch.invoke({ operation: "demo/run" }, { trace: TRACE, signal: leaving.signal });
  await new Promise(setImmediate);
  leaving.abort();
  await assert.rejects(call, { code: "ABORTED" });
  const [init] = seen;
  assert.equal(init?.signal?.aborted, true);
  assert.deepEqual(Object.fromEntries(new Headers(init?.headers)), { ...TRACE, "x-mine": "1" });
});

test("context.fetch without a client of the host fails with a sentence that says what to do", async () => {
  const { log, lines } = recordingLog();
  const { dispatch } = runtimeWith((context) => context.fetch("https://api.example.com"), { log });
  await assert.rejects(dispatch.invoke({ operation: "demo/run" }), { code: "INTERNAL" });
  assert.match(String(lines[0]?.fields.error), /give createDispatch or createRuntime one/);
});

test("context.log says by itself which operation, source and request a line is about", async () => {
  const { log, lines } = recordingLog();
  const { dispatch } = runtimeWith(
    (context) => {
      context.log.info("Counted", { count: 3, requestId: "forged", operation: "other/one" });
      context.log.debug("Nothing to add");
    },
    { log },
  );
  await dispatch.invoke({ operation: "demo/run" }, { requestId: "r-1" });
  const about = { operation: "demo/run", source: "mine", requestId: "r-1" };
  const fields = { count: 3, requestId: "forged", operation: "other/one" };
  assert.deepEqual(lines, [
    { level: "info", message: "Counted", fields: { ...about, fields } },
    { level: "debug", message: "Nothing to add", fields: about },
  ]);
});

test("log fields that are not JSON are dropped from the line, and the call goes on", async () => {
  const { log, lines } = recordingLog();
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const { dispatch } = runtimeWith(({ log }) => log.warn("Odd", { circle, big: 1n }), { log });
  await dispatch.invoke({ operation: "demo/run" });
  assert.equal(lines[0]?.message, "Odd");
  assert.match(String(lines[0]?.fields.fields), /cannot be written/);
});
