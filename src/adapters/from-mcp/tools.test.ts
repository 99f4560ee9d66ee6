import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client, Tool } from "@modelcontextprotocol/client";
import { CONTENT_OUTPUT, ImportError, signatureOf } from "../../core/index.ts";
import { UNUSABLE } from "./repair.ts";
import { listTools, nameOf, specOfTool } from "./tools.ts";

const OPTIONS = { name: "up", trustAnnotations: false };
const TOOL: Tool = { name: "send", inputSchema: { type: "object" } };

const specOf = (tool: Partial<Tool>, options: Partial<typeof OPTIONS> = {}) =>
  specOfTool({ ...TOOL, ...tool }, { ...OPTIONS, ...options });

test("a tool is an external mutation that declares how it may fail", () => {
  const spec = specOf({ description: "Sends." });
  assert.deepEqual(
    [spec.name, spec.namespace, spec.type, spec.visibility, spec.mutates, spec.description],
    ["up/send", "up", "mutation", "external", true, "Sends."],
  );
  assert.deepEqual(
    spec.errors.map(({ code }) => code),
    ["MCP_TOOL_ERROR"],
  );
  assert.deepEqual(spec.access, {});
});

test("a tool is a query only if the operator trusts its annotation", () => {
  const tool = { annotations: { readOnlyHint: true } };
  assert.equal(specOf(tool).type, "mutation");
  assert.equal(specOf(tool, { trustAnnotations: true }).type, "query");
  assert.deepEqual(specOf(tool).annotations, { readOnlyHint: true });
});

test("an operation has the title, the icons and the output schema of its tool", () => {
  const outputSchema = { type: "object" as const, properties: {} };
  const icons = [{ src: "https://example.com/i.png" }];
  const spec = specOf({ annotations: { title: "Send it" }, outputSchema, icons });
  assert.deepEqual([spec.title, spec.description], ["Send it", "Send it"]);
  assert.deepEqual(spec.outputSchema, outputSchema);
  assert.deepEqual(spec.annotations, { title: "Send it", icons });
  assert.equal(specOf({}).description, "send");
});

test("a tool that declares no output has the union of content blocks as its output, one object for all", () => {
  assert.equal(specOf({}).outputSchema, CONTENT_OUTPUT);
  assert.match(signatureOf(specOf({})), /→ \{content: \[\{type, text\?\}\]\}$/);
});

test("names of tools keep valid characters, and the others become underscores", () => {
  for (const [tool, name] of [
    ["create_issue", "up/create_issue"],
    ["files.read-all", "up/files.read-all"],
    ["a/b", "up/a/b"],
    ["/a//b/", "up/a/b"],
    ["two words", "up/two_words"],
    ["café", "up/cafe"],
  ] as const) {
    assert.equal(nameOf("up", tool), name);
    assert.equal(specOf({ name: tool }).name, name);
  }
});

test("names in other scripts stay distinct and stable, and become titles", () => {
  const names = ["查询天气", "查询股票", "get天气", "größe"].map((name) => specOf({ name }).name);
  assert.equal(new Set(names).size, 4);
  assert.deepEqual(
    names.map((name) => name.replace(/[0-9a-f]{6}$/, "…")),
    ["up/tool_…", "up/tool_…", "up/get_…", "up/gro_e_…"],
  );
  assert.deepEqual(specOf({ name: "查询天气" }).name, names[0]);
  assert.equal(specOf({ name: "查询天气" }).title, "查询天气");
  assert.equal(specOf({ name: "查询天气", title: "Weather" }).title, "Weather");
  assert.equal(specOf({ name: "two words" }).title, undefined);
});

test("an unusable name and a stub are refused with the reason", () => {
  const refuses = (tool: Partial<Tool>, options: Partial<typeof OPTIONS>, reason: RegExp) =>
    assert.throws(
      () => specOf(tool, options),
      (error) => error instanceof ImportError && error.code === "SCHEMA_PARSE" && reason.test(error.message),
    );
  refuses({ name: "/" }, {}, /^the tool "\/" has a name that cannot be used: it is not of the form/);
  refuses({ name: "n".repeat(128) }, { name: "s".repeat(100) }, /it is longer than 200 characters/);
  refuses({ _meta: { [UNUSABLE]: "is odd" } }, {}, /^the tool "send" is odd$/);
  refuses({ name: "n".repeat(500), _meta: { [UNUSABLE]: "is odd" } }, {}, /^the tool "n{100}" is odd$/);
});

interface Page {
  readonly tools: readonly object[];
  readonly nextCursor?: string;
}

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } });

/** What is read of a server that answers with these pages, and how often it is asked. */
async function read(pageOf: (cursor: string | undefined, asked: number) => Page) {
  let asked = 0;
  const request = async ({ params }: { params: { cursor?: string } }) => pageOf(params.cursor, asked++);
  const { tools, cut } = await listTools({ request } as unknown as Client);
  return { names: tools.map(({ name }) => name), cut: cut?.message, asked };
}

test("a list of tools is read to its end, however the server marks the end", async () => {
  const second = (nextCursor?: string) => ({
    tools: [tool("b")],
    ...(nextCursor !== undefined && { nextCursor }),
  });
  for (const last of [second(), second(""), second("2")]) {
    const found = await read((cursor) =>
      cursor === undefined ? { tools: [tool("a")], nextCursor: "2" } : last,
    );
    assert.deepEqual(found, { names: ["a", "b"], cut: undefined, asked: 2 });
  }
});

test("a list of tools without an end is cut, and its first part is kept", async () => {
  const endless = await read((_, asked) => ({ tools: [tool(`t${asked}`)], nextCursor: String(asked) }));
  assert.deepEqual([endless.asked, endless.names.length], [2_000, 2_000]);
  assert.match(String(endless.cut), /does not end within 2000 pages.*; what follows "t1999" is left out$/);

  const many = { tools: Array.from({ length: 30_000 }, () => tool("x")) };
  const crowded = await read((_, asked) => ({ ...many, nextCursor: String(asked) }));
  assert.deepEqual([crowded.asked, crowded.names.length], [4, 100_000]);
  assert.match(String(crowded.cut), /100000 tools/);

  // In JSON each takes six bytes, so that fewer of them are many bytes.
  const long = { tools: Array.from({ length: 100 }, () => tool("x", "\u0001".repeat(33_333))) };
  const heavy = await read((_, asked) => ({ ...long, nextCursor: String(asked) }));
  assert.deepEqual([heavy.asked, heavy.names.length], [4, 335]);
  assert.match(String(heavy.cut), /67108864 bytes/);
});
