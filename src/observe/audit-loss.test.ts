import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CallError, defineOperation, definePlugin, NO_REDACTION } from "../core/index.ts";
import { createRuntime } from "../runtime.ts";
import type { Write } from "./append-lines.ts";
import { type AuditFileOptions, openAuditFile } from "./audit-file.ts";

function pathIn(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "pinhole-audit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "audit.jsonl");
}

/** An audit, a way to make calls that it is told of, and all that was logged. */
function audited(path: string, more: Partial<AuditFileOptions> = {}) {
  const logged: string[] = [];
  const note = (message: string, fields: unknown) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { warn: note, error: note };
  const options = { inputs: true, outputs: false, log, redactor: () => NO_REDACTION };
  const file = openAuditFile({ path, ...options, ...more });
  let runs = 0;
  const operation = defineOperation({
    name: "demo/count",
    type: "query",
    description: "Counts its calls.",
    inputSchema: { type: "object" },
    handler: () => ++runs,
  });
  const { dispatch } = createRuntime({
    sources: [definePlugin({ name: "demo", operations: [operation] })],
    audit: file.audit,
    auditGate: file.gate,
    log,
  });
  const call = (input: object = {}) => dispatch.invoke({ operation: "demo/count", input });
  return { file, call, logged, runs: () => runs };
}

function linesOf(path: string): readonly Record<string, unknown>[] {
  const lines = readFileSync(path, "utf8").split("\n");
  assert.equal(lines.pop(), "", "the last line is whole");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A disk with this much space; full after that until it gets more. */
function diskOf(room: number) {
  const disk = { room };
  const write: Write = (file, bytes) => {
    if (disk.room === 0) throw new Error("ENOSPC: no space left on device, write");
    const taken = writeSync(file, bytes.subarray(0, disk.room));
    disk.room -= taken;
    return taken;
  };
  return { disk, write };
}

test("a full disk loses no audit record and leaves none half written: records wait until there is space", async (t) => {
  const path = pathIn(t);
  const { disk, write } = diskOf(500);
  const { file, call, logged } = audited(path, { write });
  for (let number = 0; number < 20; number++) {
    await call({ number });
    file.flush();
  }
  assert.ok(linesOf(path).length < 20);
  assert.equal(file.state().waiting + linesOf(path).length, 20);
  disk.room = Number.MAX_SAFE_INTEGER;
  file.flush();
  const inputs = linesOf(path).map(({ input }) => (input as { number: number }).number);
  assert.deepEqual(
    inputs,
    Array.from({ length: 20 }, (_, number) => number),
  );
  assert.deepEqual(file.state(), { waiting: 0, lost: 0 });
  assert.equal(logged.length, 2, "told once when it begins, and once when it is over");
  assert.match(logged[0] ?? "", /^The audit cannot be written; .*ENOSPC/);
  assert.match(logged[1] ?? "", /^The audit is written again .*"lostRecords":0/);
});

test("audit records that do not fit in memory are counted, and the log and the file say so", async (t) => {
  const path = pathIn(t);
  const { disk, write } = diskOf(0);
  const { file, call, logged } = audited(path, { write });
  const large = { text: "x".repeat(1_000_000) };
  await call(large);
  file.flush();
  for (let number = 0; number < 10; number++) await call(large);
  const { waiting, lost } = file.state();
  assert.equal(waiting + lost, 11);
  assert.ok(lost > 0);
  disk.room = Number.MAX_SAFE_INTEGER;
  file.flush();
  const lines = linesOf(path);
  assert.equal(lines.length, waiting + 1);
  assert.equal(lines.at(-1)?.lostRecords, lost);
  assert.match(logged.at(-1) ?? "", new RegExp(`written again .*"lostRecords":${lost}`));
});

test("a partial write of an audit record is completed", async (t) => {
  const path = pathIn(t);
  const { file, call } = audited(path, { write: (to, bytes) => writeSync(to, bytes.subarray(0, 7)) });
  await call({ number: 1 });
  await call({ number: 2 });
  file.flush();
  assert.equal(linesOf(path).length, 2);
});

test("half an audit record that a killed process left is removed at the next start", async (t) => {
  const path = pathIn(t);
  const first = audited(path);
  await first.call();
  first.file.flush();
  appendFileSync(path, '{"time":"2026-01-01T00:00:0');
  const { file, call, logged } = audited(path);
  assert.match(logged[0] ?? "", /^The audit ended in half a record, which was removed .*"bytes":27/);
  await call();
  file.flush();
  assert.equal(linesOf(path).length, 2);
});

test("if audit records are required, calls are refused while the file cannot be written, and run again afterwards", async (t) => {
  const path = pathIn(t);
  const { disk, write } = diskOf(0);
  const { file, call, runs, logged } = audited(path, { write, required: true });
  const codeOf = (error: unknown) => (error instanceof CallError ? [error.code, error.retryable] : error);
  assert.deepEqual(await call().catch(codeOf), ["UNAVAILABLE", false], "it ran, and is not answered");
  assert.equal(runs(), 1);
  for (let number = 0; number < 5; number++)
    assert.deepEqual(await call().catch(codeOf), ["UNAVAILABLE", true], "it was not run");
  assert.equal(runs(), 1);
  const unanswered = logged.filter((line) => /^A call is not answered.*"requestId":"[^"]+"/.test(line));
  assert.equal(unanswered.length, 6, "each is in the log under its id");
  disk.room = Number.MAX_SAFE_INTEGER;
  file.flush();
  assert.equal(await call(), 2);
  assert.equal(linesOf(path).length, 2, "one for each call that ran");
});

test("if audit records are required, a call is answered only after its record is in the file", async (t) => {
  const path = pathIn(t);
  const { call } = audited(path, { required: true });
  await call();
  assert.equal(linesOf(path).length, 1);
  await Promise.all(Array.from({ length: 50 }, () => call()));
  assert.equal(linesOf(path).length, 51);
});

test("an audit file on a full device is reported, and does not end the gateway", {
  skip: process.platform !== "linux",
}, async (t) => {
  const path = pathIn(t);
  symlinkSync("/dev/full", path);
  const { file, call, logged } = audited(path);
  assert.equal(await call(), 1);
  file.flush();
  assert.match(logged[0] ?? "", /ENOSPC/);
  assert.equal(file.state().waiting, 1);
});

test("if audit records are required, kill -9 loses no record of an answered call", async (t) => {
  const path = pathIn(t);
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const program = `
    import { createRuntime, defineOperation, definePlugin, NO_REDACTION, SILENT_LOG } from ${module("../core.ts")};
    import { openAuditFile } from ${module("./audit-file.ts")};
    const { audit, gate } = openAuditFile({ path: ${JSON.stringify(path)}, inputs: true, outputs: false,
      required: true, log: SILENT_LOG, redactor: () => NO_REDACTION });
    const operation = defineOperation({ name: "demo/x", type: "query", description: "X.",
      inputSchema: { type: "object" }, handler: () => 1 });
    const { dispatch } = createRuntime({ sources: [definePlugin({ name: "demo", operations: [operation] })], audit, auditGate: gate });
    for (let number = 0; ; number++) {
      await dispatch.invoke({ operation: "demo/x", input: { number } });
      process.stdout.write(number + "\\n");
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let answered = "";
  child.stdout.setEncoding("utf8");
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (text: string) => {
      answered += text;
      if (answered.split("\n").length > 50) child.kill("SIGKILL");
    });
    child.on("close", () => resolve());
  });
  const numbers = answered.split("\n").slice(0, -1).map(Number);
  const { logged: _ } = audited(path);
  const recorded = new Set(linesOf(path).map(({ input }) => (input as { number: number }).number));
  assert.ok(numbers.length >= 50);
  assert.deepEqual(
    numbers.filter((number) => !recorded.has(number)),
    [],
  );
});
