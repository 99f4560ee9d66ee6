import assert from "node:assert/strict";
import { test } from "node:test";
import { TOOL_NAMES } from "../../contract/index.ts";
import { toolOf, unknownTool } from "./tool-calls.ts";

test("the names that models know from other gateways mean our tools", () => {
  assert.deepEqual(
    ["search", "tool_search", "tool_describe", "tool_invoke", "constructor", "Search"].map(toolOf),
    ["search", "search", "schema", "call", undefined, undefined],
  );
});

test("an unknown tool is answered with the nearest one, or with how to run an operation", () => {
  assert.equal(
    unknownTool("serach", { listed: TOOL_NAMES }),
    'There is no tool "serach". Did you mean search?',
  );
  assert.equal(
    unknownTool("github_create_issue", { listed: TOOL_NAMES, callable: "github/create_issue" }),
    'There is no tool "github_create_issue". The tools are search, schema, call, batch. github/create_issue is an operation: run it as call with {"operation": "github/create_issue"}.',
  );
  assert.match(unknownTool("made_up", { listed: TOOL_NAMES }), /search finds them, and call runs them\.$/);
});

test("where call is not listed, callers are not sent to it", () => {
  const listed = ["store_put", "store_query"];
  assert.equal(
    unknownTool("store_putt", { listed, callable: "store/put" }),
    'There is no tool "store_putt". Did you mean store_put?',
  );
  assert.equal(unknownTool("x", { listed: ["store_put"] }), 'There is no tool "x". The tools are store_put.');
});
