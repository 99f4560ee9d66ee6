import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../adapters/index.ts";
import { defineOperation, definePlugin } from "../core/index.ts";
import { createRuntime } from "../runtime.ts";
import { createLog } from "./log.ts";
import { Observers } from "./observers.ts";
import { SecretsInUse } from "./secrets-in-use.ts";

const leaf = defineOperation({
  name: "demo/leaf",
  type: "query",
  description: "For a test.",
  inputSchema: { type: "object" },
  handler: () => 1,
});
const loop = defineOperation({
  name: "demo/loop",
  type: "query",
  description: "For a test.",
  inputSchema: { type: "object" },
  composes: ["demo/leaf"],
  async handler(_, { env }) {
    for (let n = 0; n < 100; n++) await env.invoke("demo/leaf", {});
  },
});

test("composed calls are in the audit, and in the log only if configured", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-observers-"));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "pinhole.yaml"), "audit: { file: ./audit.jsonl }\n");
  const loaded = await loadConfig({ directory });
  for (const [level, logged] of [
    ["info", 1],
    ["debug", 101],
  ] as const) {
    const lines: string[] = [];
    const observers = new Observers(
      createLog(level, (line) => lines.push(line)),
      new SecretsInUse(),
    );
    const { audit } = observers.follow(loaded);
    const sources = [definePlugin({ name: "demo", operations: [loop, leaf] })];
    await createRuntime({ sources, audit }).dispatch.invoke({ operation: "demo/loop" });
    await observers.close();
    assert.equal(lines.length, logged, level);
    assert.match(lines.at(-1) ?? "", /"message":"Call".*demo\/loop/);
  }
  const records = readFileSync(join(directory, "audit.jsonl"), "utf8").trimEnd().split("\n");
  const composed = records.filter((record) => JSON.parse(record).composed);
  assert.deepEqual([records.length, composed.length], [202, 200]);
});
