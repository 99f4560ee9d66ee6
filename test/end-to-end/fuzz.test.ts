import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Log, runBatch } from "pinhole/core";
import { DEMO } from "../../src/demo/index.ts";
import { answerOf, postModern } from "../support/mcp-wire.ts";
import { type RawAnswer, sendRaw } from "../support/raw-http.ts";
import { scaled } from "../support/scale.ts";
import { serveRuntime } from "../support/serve.ts";
import { ROOT } from "../support/source-files.ts";
import { fuzzCases } from "./fuzz/cases.ts";
import type { FuzzCase } from "./fuzz/request.ts";

const CASES = scaled(400, 4_000);
/** Each takes milliseconds; this is for machines that have other things to do. */
const TIMEOUT_MS = 20_000;

/** What only somebody who reads the code should ever see. */
const INSIDE = [
  /(?:\n|\\n)\s+at .*[:(]/,
  /\bat \S+ \(\S+:\d+:\d+\)/,
  /node_modules/,
  /file:\/\/\/\S/,
  /\.(?:ts|mjs|js):\d+/,
  /node:internal/,
];

test("very many wrong requests are all answered, in time, with a reason and without a look inside", async (t) => {
  const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const failures: string[] = [];
  const log: Log = {
    warn: () => {},
    error: (message, fields) => failures.push(`${message} ${JSON.stringify(fields)}`),
  };
  const server = await serveRuntime({ sources: DEMO, log });
  t.after(() => server.close(0));

  const cases = fc.sample(fuzzCases, { numRuns: CASES, seed });
  const verdicts = await runBatch(cases, (each) => judge(each as FuzzCase, server.mcpUrl), {
    concurrency: 16,
  });
  const wrong = verdicts.filter((verdict) => verdict !== undefined);
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} are wrong. Again with FUZZ_SEED=${seed}.`);
  assert.deepEqual(failures.slice(0, 5), [], `Again with FUZZ_SEED=${seed}.`);

  const params = {
    name: "call",
    arguments: { operation: "text/stats", input: { text: "a b" }, select: "words" },
  };
  const { result } = await answerOf(await postModern(server.mcpUrl, "tools/call", params));
  assert.deepEqual(result?.structuredContent, { output: 2 });
});

async function judge({ kind, bytes, statuses, end }: FuzzCase, url: URL): Promise<string | undefined> {
  const tell = (problem: string) =>
    `${kind}: ${problem}\n${Buffer.from(bytes).toString("latin1").slice(0, 1_500)}`;
  let answer: RawAnswer;
  try {
    answer = await sendRaw(url, bytes, { timeoutMs: TIMEOUT_MS, end });
  } catch (error) {
    return tell(String(error));
  }
  const { status, body } = answer;
  if (status === undefined) return tell("closed without an answer");
  if (status >= 500 && status !== 501) return tell(`answered with ${status}: ${body}`);
  if (statuses && !statuses.includes(status))
    return tell(`answered with ${status} instead of ${statuses}: ${body}`);
  const inside = [...INSIDE, ROOT].find((sight) =>
    sight instanceof RegExp ? sight.test(body) : body.includes(sight),
  );
  if (inside !== undefined) return tell(`shows ${inside}: ${body}`);
  // Node itself refuses what is no HTTP, with a status and no body.
  if (status >= 400 && body !== "" && !hasReason(body)) return tell(`gives no reason for ${status}: ${body}`);
  return undefined;
}

function hasReason(body: string): boolean {
  const { error } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown } };
  return error?.code !== undefined && typeof error.message === "string" && error.message.length > 5;
}
