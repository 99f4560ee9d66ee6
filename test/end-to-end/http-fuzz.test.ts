import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Log, runBatch } from "pinhole/core";
import { DEMO } from "../../src/demo/index.ts";
import { HTTP_PATHS } from "../../src/projections/to-openapi/index.ts";
import { sendRaw, writeRequest } from "../support/raw-http.ts";
import { scaled } from "../support/scale.ts";
import { serveRuntime } from "../support/serve.ts";
import { headerText, json } from "./fuzz/request.ts";

const CASES = scaled(500, 4_000);
const GOOD = JSON.stringify({ operation: "text/stats", input: { text: "a b" }, select: "words" });
const INSIDE = /(?:\n|\\n)\s+at |node_modules|file:\/\/\/|\.(?:ts|mjs|js):\d+|node:internal/;

const value = fc.oneof(
  json,
  fc.constantFrom<unknown>(
    ...["text/stats", "time/now", "/text/stats", "", "__proto__", "constructor", "[?a", "@", "{broken"],
    ...[{ text: "x" }, { __proto__: 1 }, ["text/stats"], [{ operation: "text/stats" }], 1e308, -1],
  ),
);
const keys = fc.constantFrom(
  ...["operation", "input", "select", "query", "limit", "cursor", "type", "namespace"],
  ...["name", "names", "calls", "args", "arguments", "__proto__", "constructor", "toString"],
);
const record = fc.dictionary(keys, value, { maxKeys: 5 });
const bodies = fc.oneof(
  { weight: 4, arbitrary: record.map((each) => JSON.stringify(each)) },
  { weight: 2, arbitrary: json.map((each) => JSON.stringify(each)) },
  fc.array(record, { maxLength: 4 }).map((calls) => JSON.stringify({ calls })),
  fc.nat(GOOD.length).map((end) => GOOD.slice(0, end)),
  fc.string({ unit: "binary" }),
  fc.integer({ min: 60, max: 5_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
);
const queries = fc.oneof(
  fc
    .array(fc.tuple(keys, fc.string({ unit: "grapheme" })), { maxLength: 5 })
    .map((pairs) => `?${new URLSearchParams(pairs)}`),
  fc.webQueryParameters().map((text) => `?${text}`),
  fc.constantFrom(
    "",
    "?",
    "?%zz",
    "?query=%ff",
    "?name=%00",
    "?limit=99999999999999999999",
    "?query=&query=",
  ),
);
const requests = fc.record({
  path: fc.constantFrom(...HTTP_PATHS),
  method: fc.constantFrom("POST", "POST", "POST", "GET", "GET", "HEAD", "PUT", "OPTIONS"),
  query: queries,
  body: bodies,
  type: fc.oneof({ weight: 9, arbitrary: fc.constant("application/json") }, headerText),
  trace: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, headerText),
});

test("wrong requests to every address are answered in time, with a reason and never as a fault of ours", async (t) => {
  const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const faults: string[] = [];
  const log: Log = {
    warn: () => {},
    error: (message, fields) => faults.push(`${message} ${JSON.stringify(fields)}`),
  };
  const server = await serveRuntime({ sources: DEMO, log });
  t.after(() => server.close(0));

  async function judge({ path, method, query, body, type, trace }: (typeof cases)[number]) {
    const sent = method === "POST" || method === "PUT" ? body : "";
    const bytes = writeRequest({
      method,
      target: path + query,
      headers: [
        ["host", "127.0.0.1"],
        ["connection", "close"],
        ["content-type", type],
        ["content-length", String(Buffer.byteLength(sent))],
        ["traceparent", trace],
      ],
      body: sent,
    });
    const { status, body: text } = await sendRaw(new URL(server.url), bytes, { timeoutMs: 20_000 });
    const told = `${method} ${path}${query} ${sent.slice(0, 300)} → ${status} ${text.slice(0, 500)}`;
    if (status === undefined || status >= 500 || INSIDE.test(text)) return told;
    if (status < 400 || method === "HEAD") return undefined;
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    return typeof error?.code === "string" && String(error.message).length > 10 ? undefined : told;
  }

  const cases = fc.sample(requests, { numRuns: CASES, seed });
  const verdicts = await runBatch(cases, (each) => judge(each as (typeof cases)[number]), {
    concurrency: 16,
  });
  const wrong = verdicts.filter((verdict) => verdict !== undefined);
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} are wrong. Again with FUZZ_SEED=${seed}.`);
  assert.deepEqual(faults.slice(0, 5), [], `Again with FUZZ_SEED=${seed}.`);
});
