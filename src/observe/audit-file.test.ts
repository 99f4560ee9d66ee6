import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { defineOperation, definePlugin, NO_REDACTION, SILENT_LOG } from "../core/index.ts";
import { createRuntime } from "../runtime.ts";
import { type AuditFileOptions, openAuditFile } from "./audit-file.ts";

const echo = defineOperation({
  name: "demo/echo",
  type: "query",
  description: "Says it again.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  handler: ({ text }) => text,
});
const sources = [definePlugin({ name: "demo", operations: [echo] })];

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "pinhole-audit-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

async function audited(path: string, options: Partial<AuditFileOptions> = {}) {
  const file = openAuditFile({
    path,
    inputs: false,
    outputs: false,
    log: SILENT_LOG,
    redactor: () => NO_REDACTION,
    ...options,
  });
  const { dispatch } = createRuntime({ sources, audit: file.audit, traced: true });
  await dispatch.invoke({ operation: "demo/echo", input: { text: "confidential" } });
  await dispatch.invoke({ operation: "demo/nope", input: { text: "confidential" } }).catch(() => {});
  await dispatch.invoke({ operation: "demo/echo", input: { word: "confidential" } }).catch(() => {});
  file.flush();
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("the audit file", () => {
  test("the audit file has a line for each call: caller, operation, decision, outcome and sizes", async (t) => {
    const lines = await audited(join(folder(t), "audit.jsonl"));
    const facts = lines.map(({ principal, operation, decision, outcome }) => [
      principal,
      operation,
      decision,
      outcome,
    ]);
    assert.deepEqual(facts, [
      ["anonymous", "demo/echo", "allowed", "ok"],
      ["anonymous", "demo/nope", "refused", "NOT_FOUND"],
      ["anonymous", "demo/echo", "refused", "INVALID_INPUT"],
    ]);
    assert.deepEqual([lines[0].inputBytes, lines[0].outputBytes], [23, 14]);
    assert.match(lines[0].traceId, /^[0-9a-f]{32}$/);
    assert.match(lines[0].requestId, /^[0-9a-f-]{36}$/);
    assert.ok(!Number.isNaN(Date.parse(lines[0].time)));
  });

  test("the audit file never contains inputs or outputs unless configured", async (t) => {
    const path = folder(t);
    assert.ok(!JSON.stringify(await audited(join(path, "a"))).includes("confidential"));
    const [line] = await audited(join(path, "b"), { inputs: true, outputs: true });
    assert.deepEqual([line.input, line.output], [{ text: "confidential" }, "confidential"]);
  });

  test("the audit file is appended to, never overwritten, and readable by its owner alone", async (t) => {
    const path = join(folder(t), "audit.jsonl");
    assert.equal((await audited(path)).length, 3);
    assert.equal((await audited(path)).length, 6);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  test("an audit file that cannot be opened is reported at the start", (t) => {
    const path = join(folder(t), "file");
    writeFileSync(path, "");
    assert.throws(() =>
      openAuditFile({
        path: join(path, "audit.jsonl"),
        inputs: false,
        outputs: false,
        log: SILENT_LOG,
        redactor: () => NO_REDACTION,
      }),
    );
  });

  test("the audit file records a call whose input is not JSON, also if inputs are kept", async (t) => {
    const path = join(folder(t), "audit.jsonl");
    const file = openAuditFile({
      path,
      inputs: true,
      outputs: true,
      log: SILENT_LOG,
      redactor: () => NO_REDACTION,
    });
    const compose = defineOperation({
      name: "demo/compose",
      type: "query",
      description: "Composes.",
      composes: ["demo/echo"],
      handler: (_, { env }) => env.invoke("demo/echo", { text: "x", size: 1n }),
    });
    const both = [definePlugin({ name: "demo", operations: [echo, compose] })];
    const { dispatch } = createRuntime({ sources: both, audit: file.audit });
    assert.equal(await dispatch.invoke({ operation: "demo/compose" }), "x");
    file.flush();
    const [first, second] = readFileSync(path, "utf8").split("\n");
    assert.match(first ?? "", /"operation":"demo\/echo".*"outcome":"ok".*"contentLeftOut":true/);
    assert.match(second ?? "", /"operation":"demo\/compose".*"output":"x"/);
  });

  test("the audit file truncates an invalid operation name to the longest valid length", async (t) => {
    const path = join(folder(t), "audit.jsonl");
    const file = openAuditFile({
      path,
      inputs: false,
      outputs: false,
      log: SILENT_LOG,
      redactor: () => NO_REDACTION,
    });
    const { dispatch } = createRuntime({ sources, audit: file.audit });
    await dispatch.invoke({ operation: `demo/${"x".repeat(100_000)}` }).catch(() => {});
    file.flush();
    const line = readFileSync(path, "utf8");
    assert.match(line, /"operation":"demo\/x{194}…"/);
  });
});
