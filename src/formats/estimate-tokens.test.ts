import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { CORE_FACET } from "../contract/index.ts";
import { ANONYMOUS } from "../core/index.ts";
import { DEMO } from "../demo/index.ts";
import { findTools, listTools } from "../projections/to-mcp/index.ts";
import { createRuntime } from "../runtime.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const CATALOGUES = new URL("../../../shared/data/retrieval/", import.meta.url);

function assertClose(text: string, tolerance: number, what: string): void {
  const ratio = estimateTokens(text) / countTokens(text);
  assert.ok(
    Math.abs(ratio - 1) <= tolerance,
    `${what}: the estimate is ${ratio.toFixed(3)} of the real count`,
  );
}

test("the estimate of our own surface is within 5 % of the real count", () => {
  const { registry } = createRuntime({ sources: DEMO });
  assertClose(
    JSON.stringify(
      listTools(findTools(CORE_FACET, registry.snapshot()), { identity: ANONYMOUS, internal: false }),
    ),
    0.05,
    "the four tools",
  );
});

test("the estimate of real tool catalogues is within 8 % of the real count", (t) => {
  if (!existsSync(CATALOGUES)) return t.skip("the public tool catalogues are not beside the repository");
  for (const name of ["livemcp", "pool-mcphub", "pool-docker", "pool-github", "pool-aws"]) {
    const lines = readFileSync(new URL(`${name}/tools.jsonl`, CATALOGUES), "utf8")
      .split("\n")
      .slice(0, 300);
    const tools = lines.filter(Boolean).map((line) => {
      const { name: tool, description, inputSchema } = JSON.parse(line);
      return JSON.stringify({ name: tool, description, inputSchema });
    });
    assertClose(tools.join("\n"), 0.08, name);
  }
});

test("text in other scripts is not underestimated to nothing", () => {
  assert.ok(estimateTokens("创建一个新的问题") >= 5);
  assert.equal(estimateTokens(""), 0);
});
