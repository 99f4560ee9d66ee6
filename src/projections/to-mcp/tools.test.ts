import assert from "node:assert/strict";
import { test } from "node:test";
import { ANONYMOUS, defineOperation, type JsonSchema, Registry } from "../../core/index.ts";
import { findTools } from "./facet-tools.ts";
import { listTools, MAX_LIST_BYTES } from "./tools.ts";

const CALLER = { identity: ANONYMOUS, internal: false };

/** The tools of a list in which every operation is one. */
function listed(operations: readonly { name: string; description?: string; inputSchema?: JsonSchema }[]) {
  const registry = new Registry();
  const registrations = operations.map((each) =>
    defineOperation({ type: "query", description: "Does it.", ...each, handler: () => null }),
  );
  registry.apply({ replace: [{ source: { name: "box" }, registrations }] });
  const facet = { core: false, query: false, holds: () => true };
  return listTools(findTools(facet, registry.snapshot()), CALLER);
}

/** A schema of so many levels, with a long text on each. */
function deep(levels: number): JsonSchema {
  const properties = Object.fromEntries(
    ["a", "b"].map((key) => [key, levels === 0 ? { type: "string" } : deep(levels - 1)]),
  );
  return { type: "object", description: "x".repeat(1_000), required: ["a"], properties };
}

test("a long description is cut and says where all of it is, a short one stays as it is", () => {
  const [long, short] = listed([
    { name: "box/long", description: "d".repeat(228_000) },
    { name: "box/short", description: "d".repeat(4_000) },
  ]);
  assert.ok((long?.description?.length ?? 0) < 4_200);
  assert.match(
    long?.description ?? "",
    /d… \(Shortened for this list: schema \{"names":\["box\/long"\]\} says more/,
  );
  assert.equal(short?.description, "d".repeat(4_000));
});

test("a large input schema is listed with less in it, and still as an object with its properties", () => {
  const [tool] = listed([{ name: "box/deep", inputSchema: deep(7) }]);
  assert.ok(JSON.stringify(tool).length < 40_000);
  assert.equal(tool?.inputSchema.type, "object");
  assert.deepEqual(Object.keys(tool?.inputSchema.properties ?? {}), ["a", "b"]);
  assert.match(tool?.description ?? "", /^Does it\. \(Shortened/);
});

test("a list of tools has a largest size, whatever servers offer", () => {
  const operations = Array.from({ length: 1_500 }, (_, at) => ({
    name: `box/op-${at}`,
    description: "d".repeat(3_990),
  }));
  const tools = listed(operations);
  const bytes = JSON.stringify(tools).length;
  assert.ok(bytes <= MAX_LIST_BYTES + 2 * tools.length && bytes > MAX_LIST_BYTES - 10_000, `${bytes} bytes`);
});
