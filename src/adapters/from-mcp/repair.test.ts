import assert from "node:assert/strict";
import { test } from "node:test";
import { isTooMuch, problemOfMirrors, repairResult, UNUSABLE } from "./repair.ts";

const GOOD = { name: "good", inputSchema: { type: "object" } };
const list = (tool: unknown, version?: string) =>
  repairResult<Record<string, unknown>>({ tools: [GOOD, tool] }, "tools/list", version).tools as Record<
    string,
    Record<string, unknown>
  >[];

test("a valid tool stays the same object, an invalid one becomes a stub with the reason", () => {
  const [good, bad] = list({ name: "bad" });
  assert.equal(good, GOOD);
  assert.deepEqual(bad, {
    name: "bad",
    inputSchema: { type: "object" },
    _meta: { [UNUSABLE]: "has no schema for its input" },
  });
});

test("the definition of a tool is bounded in depth and size", () => {
  let deep: unknown = "end";
  for (let level = 0; level < 150; level++) deep = { deep };
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /has no name/],
    [{ name: 5 }, /has no name/],
    [{ ...GOOD, _meta: { deep } }, /deeper than 100 levels/],
    [{ ...GOOD, description: "x".repeat(300_000) }, /more than 262144 bytes/],
    [{ ...GOOD, annotations: { readOnlyHint: "yes" } }, /that MCP does not allow/],
    [{ ...GOOD, inputSchema: { type: "object", required: [0] } }, /that MCP does not allow/],
    [{ ...GOOD, icons: Array(1_001).fill({ src: "https://example.com/i.png" }) }, /that MCP does not allow/],
  ];
  for (const [tool, reason] of cases) assert.match(String(list(tool)[1]?._meta?.[UNUSABLE]), reason);
});

test("an output that is not an object is valid since 2026-07-28 and was not before", () => {
  for (const outputSchema of [{ type: "array" }, { type: "object", required: "all" }]) {
    const tool = { ...GOOD, outputSchema };
    assert.equal(list(tool, "2026-07-28")[1], tool);
    assert.match(
      String(list(tool, "2025-11-25")[1]?._meta?.[UNUSABLE]),
      /declares an output that its revision/,
    );
  }
  const tool = { ...GOOD, outputSchema: { type: "object" } };
  assert.equal(list(tool, "2025-11-25")[1], tool);
});

test("a result of data alone gets empty content", () => {
  const result = { resultType: "complete", structuredContent: 5 };
  assert.deepEqual(repairResult(result, "tools/call"), { ...result, content: [] });
});

test("a result without a type counts as complete since 2026-07-28", () => {
  assert.deepEqual(repairResult({}, "prompts/get"), { resultType: "complete" });
  assert.deepEqual(repairResult({}, "prompts/get", "2025-11-25"), {});
});

test("results without a fault are not changed", () => {
  for (const [result, method] of [
    [{ content: [] }, "tools/call"],
    [{ resultType: "input_required" }, "tools/call"],
    [{ structuredContent: 5 }, "prompts/get"],
    [{ tools: "none" }, "tools/list"],
  ] as const) {
    assert.equal(repairResult<Record<string, unknown>>(result, method, "2025-11-25"), result);
  }
});

test("a tool that can only be run as a task is unusable in revisions that have such tools", () => {
  const tool = { ...GOOD, execution: { taskSupport: "required" } };
  assert.match(String(list(tool, "2025-11-25")[1]?._meta?.[UNUSABLE]), /can only be run as a task/);
  assert.equal(list(tool, "2026-07-28")[1], tool);
  const optional = { ...GOOD, execution: { taskSupport: "optional" } };
  assert.equal(list(optional, "2025-11-25")[1], optional);
});

test("of any number of invalid tools a hundred are reported one by one, and no valid one is lost", () => {
  const zeros = (count: number) =>
    repairResult({ tools: [...Array(count).fill(0), GOOD] }, "tools/list").tools;
  const reasons = (tools: readonly unknown[]) =>
    tools.map((tool) => (tool as { _meta?: Record<string, unknown> })._meta?.[UNUSABLE]);
  for (const [count, last] of [
    [99, "has no name"],
    [100, "has no name"],
    [1_000_000, "has no name, and 999900 more are unusable too"],
  ] as const) {
    const told = reasons(zeros(count) as readonly unknown[]);
    assert.deepEqual([told.length, told.at(-2), told.at(-1)], [Math.min(count, 100) + 1, last, undefined]);
  }
});

test("an argument that cannot be repeated as a header makes a tool unusable since 2026-07-28", () => {
  const tool = { ...GOOD, inputSchema: { type: "object", "x-mcp-header": "A" } };
  assert.match(String(list(tool)[1]?._meta?.[UNUSABLE]), /declares x-mcp-header/);
  assert.equal(list(tool, "2025-11-25")[1], tool);
});

test("a list whose last cursor is null ends", () => {
  const { nextCursor } = repairResult<Record<string, unknown>>({ tools: [], nextCursor: null }, "tools/list");
  assert.equal(nextCursor, undefined);
});

test("a message with too many values to check is refused, but structured content may be long", () => {
  const zeros = Array(50_000).fill(0);
  const deep = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
  assert.equal(isTooMuch({ content: zeros }, "tools/call"), true);
  assert.equal(isTooMuch({ content: [{ annotations: { audience: zeros } }] }, "tools/call"), true);
  assert.equal(isTooMuch({ content: deep }, "tools/call"), true);
  assert.equal(isTooMuch({ content: zeros.slice(10) }, "tools/call"), false);
  assert.equal(isTooMuch({ content: [], structuredContent: zeros, _meta: { zeros } }, "tools/call"), false);
  assert.equal(isTooMuch({ tools: zeros }, "tools/list"), false);
});

const property = (schema: object) => ({ type: "object", properties: { a: schema } });
const mirrored = (name: unknown, type = "string") => ({ type, "x-mcp-header": name });

test("simple arguments of the input are repeated as headers, however deep", () => {
  for (const schema of [
    { type: "object" },
    property(mirrored("Region")),
    property(property(mirrored("Region", "integer"))),
    { type: "object", properties: { a: mirrored("One"), b: mirrored("Two", "boolean") } },
    // Values are no schemas, and a property may have any name.
    property({ type: "object", default: mirrored(5), examples: [mirrored(5)], enum: [mirrored(5)] }),
    { type: "object", properties: { properties: mirrored("Region"), items: mirrored("Other") } },
  ]) {
    assert.equal(problemOfMirrors(schema), undefined, JSON.stringify(schema));
  }
});

test("an invalid x-mcp-header is reported", () => {
  const cases: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ type: "object", "x-mcp-header": "A" }, /on something that is not a property of its input/],
    [property({ type: "array", items: mirrored("A") }), /on something that is not a property of its input/],
    [property({ anyOf: [mirrored("A")] }), /on something that is not a property of its input/],
    [
      { type: "object", $defs: { a: property(mirrored("A")) }, properties: {} },
      /on something that is not a property of its input/,
    ],
    [property(mirrored("")), /is not the name of a header/],
    [property(mirrored(5)), /is not the name of a header/],
    [property(mirrored("two words")), /is not the name of a header/],
    [property(mirrored("a\r\nevil: 1")), /is not the name of a header/],
    [property(mirrored("A", "object")), /not a string, integer or boolean/],
    [property(mirrored("A", "number")), /not a string, integer or boolean/],
    [property({ "x-mcp-header": "A" }), /not a string, integer or boolean/],
    [
      { type: "object", properties: { a: mirrored("Same"), b: mirrored("same") } },
      /declares the same x-mcp-header twice/,
    ],
  ];
  for (const [schema, problem] of cases)
    assert.match(String(problemOfMirrors(schema)), problem, JSON.stringify(schema));
});
