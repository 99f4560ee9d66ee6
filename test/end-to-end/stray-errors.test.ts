import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type RunningCommand, startCommand } from "../support/command.ts";
import { ROOT } from "../support/source-files.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;

/** A plugin of a careless author: each operation answers, and leaves an error behind. */
const CARELESS = `import { EventEmitter } from "node:events";
import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
const query = (name, handler) => defineOperation({ name, type: "query", description: "Answers.", handler, composes: ["careless/*"] });
setTimeout(() => { throw new Error("of the module"); });
export default definePlugin({ name: "careless", operations: [
  query("careless/forgets", () => { Promise.reject(new Error("floating")); return 1; }),
  query("careless/rejects_text", () => { void (async () => { throw "bare words"; })(); return 1; }),
  query("careless/throws_late", () => { setTimeout(() => { throw new Error("late"); }); return 1; }),
  query("careless/emits", () => { setImmediate(() => new EventEmitter().emit("error", new Error("event"))); return 1; }),
  query("careless/composes", (_, { env }) => { void env.invoke("careless/fails"); return 1; }),
  query("careless/fails", () => { throw new Error("It fails."); }),
  defineOperation({ name: "careless/streams", type: "subscription", description: "Streams.",
    async *handler() { yield 1; setTimeout(() => { throw new Error("in a stream"); }); yield 2; } }),
  defineOperation({ name: "careless/no_stream", type: "subscription", description: "Is none.", handler: () => [1] }),
] });`;

async function serveCareless(
  t: TestContext,
): Promise<RunningCommand & { call(operation: string): Promise<unknown> }> {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-stray-"));
  await writeFile(join(directory, "careless.ts"), CARELESS);
  await writeFile(join(directory, "pinhole.yaml"), "sources: { careless: { plugin: ./careless.ts } }\n");
  const main = join(ROOT, "src/cli/main.ts");
  const command = await startCommand(process.execPath, [main, "serve", "--port", "0"], directory);
  t.after(async () => {
    assert.equal(await command.stop(), 0, "it was there until the end");
    await rm(directory, { recursive: true });
  });
  return {
    ...command,
    async call(operation) {
      const path = operation.includes("stream") ? "/subscribe" : "/call";
      const response = await fetch(new URL(path, command.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ operation }),
      });
      return path === "/call" ? response.json() : response.text();
    },
  };
}

test("errors that a plugin leaves behind are logged with their source and counted, and the gateway goes on", async (t) => {
  const { url, call, said } = await serveCareless(t);
  for (const name of ["forgets", "rejects_text", "throws_late", "emits", "composes"]) {
    const answer = (await call(`careless/${name}`)) as { output: unknown };
    assert.equal(answer.output, 1, name);
  }
  assert.match(String(await call("careless/streams")), /data: 1[\s\S]*data: 2/);
  assert.match(String(await call("careless/no_stream")), /INTERNAL/);

  const { output } = (await call("sources/list")) as { output: { sources: Record<string, unknown>[] } };
  const careless = output.sources.find(({ name }) => name === "careless");
  assert.equal(careless?.strayErrors, 6);
  const metrics = await (await fetch(new URL("/metrics", url))).text();
  assert.match(metrics, /^pinhole_stray_errors_total\{source="careless"\} 6$/m);

  // The pipe of the log may be behind the answers.
  for (let tries = 0; tries < 100 && strayLines(said()).length < 6; tries++) await call("careless/fails");
  const lines = strayLines(said());
  assert.deepEqual(
    lines.map(({ level, source }) => `${level} ${source}`),
    Array(6).fill("error careless"),
  );
  for (const words of ["of the module", "floating", "bare words", "late", "event", "in a stream"])
    assert.equal(lines.filter(({ error }) => error.includes(words)).length, 1, words);
  assert.match(said(), /must return an async iterable\. Make it an async generator/);
});

function strayLines(log: string) {
  return log
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.includes("the gateway goes on"))
    .map((line) => JSON.parse(line) as { level: string; source: string; error: string });
}
