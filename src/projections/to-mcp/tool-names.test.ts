import assert from "node:assert/strict";
import { test } from "node:test";
import { TOOL_NAMES } from "../contract.ts";
import { toolOf, unknownTool } from "./tool-names.ts";

test("the names that models know from other gateways mean our tools", () => {
  assert.deepEqual(
    ["search", "tool_search", "tool_describe", "tool_invoke", "constructor", "Search"].map(toolOf),
    ["search", "search", "schema", "call", undefined, undefined],
  );
});

test("an unknown tool is answered with the nearest one, or with how to run an operation", () => {
  assert.match(unknownTool("serach", TOOL_NAMES), /no tool "serach"\. Did you mean search\?/);
  assert.match(
    unknownTool("github/create_issue", TOOL_NAMES),
    /call with \{"operation": "github\/create_issue"\}/,
  );
});

test("where call is not listed, nobody is sent to it", () => {
  assert.equal(
    unknownTool("store_putt", ["store_put", "store_query"]),
    'There is no tool "store_putt". Did you mean store_put?',
  );
  assert.equal(unknownTool("x", ["store_put"]), 'There is no tool "x". The tools are store_put.');
});
