import assert from "node:assert/strict";
import { test } from "node:test";
import { toolOf, unknownTool } from "./tool-names.ts";

test("the names that models know from other gateways mean our tools", () => {
  assert.deepEqual(
    ["search", "tool_search", "tool_describe", "tool_invoke", "constructor", "Search"].map(toolOf),
    ["search", "search", "schema", "call", undefined, undefined],
  );
});

test("an unknown tool is answered with the nearest one, or with how to run an operation", () => {
  assert.match(unknownTool("serach"), /no tool "serach"\. Did you mean search\?/);
  assert.match(unknownTool("github/create_issue"), /call with \{"operation": "github\/create_issue"\}/);
});
