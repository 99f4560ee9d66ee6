import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ANONYMOUS, completeSpec, Registry, type SourceSet, type SpecDraft } from "../../core/index.ts";
import { findTools } from "./facet-tools.ts";
import { listTools } from "./tools.ts";

function setOf(name: string, ...operations: readonly (string | Partial<SpecDraft>)[]): SourceSet {
  const registrations = operations.map((written) => {
    const draft = typeof written === "string" ? { name: written } : written;
    const spec = completeSpec({ name: "", type: "query", description: "For a test.", ...draft });
    const kind = spec.type === "subscription" ? "stream" : "once";
    return { spec, provenance: "from-mcp", handler: { kind, run: () => [] } } as never;
  });
  return { source: { name }, registrations };
}

function toolsOf(
  sets: readonly SourceSet[],
  namespaces: readonly string[] = [],
  deny: readonly string[] = [],
) {
  const registry = new Registry();
  registry.apply({ replace: [...sets], policy: { deny } as never });
  const facet = { core: true, query: false, holds: () => true, namespaces };
  const { tools, leftOut } = findTools(facet, registry.snapshot());
  return {
    tools: [...tools].map(([tool, { registration }]) => [tool, registration.spec.name]),
    leftOut: Object.fromEntries(leftOut.map(({ operation, reason }) => [operation, reason])),
  };
}

describe("the name of a tool", () => {
  test("the name of a tool belongs to the longest namespace that it begins with, whichever came first", () => {
    const sets = [setOf("git", "git/hub_merge", "git/log"), setOf("git_hub", "git_hub/merge")];
    for (const order of [sets, [...sets].reverse()]) {
      const { tools, leftOut } = toolsOf(order);
      assert.deepEqual(tools, [
        ["git_log", "git/log"],
        ["git_hub_merge", "git_hub/merge"],
      ]);
      assert.deepEqual(leftOut, {
        "git/hub_merge": "as a tool git_hub_merge would be taken for one of git_hub",
      });
    }
  });

  test("the name of a tool cannot be taken by another source while its own is away, or no longer offers it", () => {
    const hostile = setOf("git", "git/hub_merge");
    assert.deepEqual(toolsOf([hostile], ["git", "git_hub"]).tools, []);
    assert.deepEqual(toolsOf([hostile, setOf("git_hub", "git_hub/close")]).tools, [
      ["git_hub_close", "git_hub/close"],
    ]);
    assert.deepEqual(toolsOf([hostile], ["git"]).tools, [["git_hub_merge", "git/hub_merge"]]);
  });

  test("a tool name that two operations of one namespace would have belongs to neither", () => {
    const { tools, leftOut } = toolsOf([setOf("west", "west/git/log", "west/git_log", "west/other")]);
    assert.deepEqual(tools, [["west_other", "west/other"]]);
    assert.deepEqual(leftOut, {
      "west/git/log": "as a tool it would be called west_git_log, as would west/git_log: none is listed",
      "west/git_log": "as a tool it would be called west_git_log, as would west/git/log: none is listed",
    });
  });

  test("the name of a tool is not contested by denied or internal operations, or by those that cannot be tools", () => {
    const rivals = [
      { name: "west/git_log", type: "subscription" },
      { name: "west/a_b", visibility: "internal" },
      { name: "west/c_d", aliases: ["west/old"] },
    ] as const;
    const own = ["west/git/log", "west/a/b", "west/c/d"];
    const { tools } = toolsOf([setOf("west", ...own, ...rivals)], [], ["west/old"]);
    assert.deepEqual(
      tools.map(([, operation]) => operation),
      ["west/a/b", "west/c/d", "west/git/log"],
    );
  });
});

describe("the hints of a tool", () => {
  const said = {
    destructiveHint: false,
    idempotentHint: "often",
    openWorldHint: false,
    readOnlyHint: true,
    _meta: { "anthropic/alwaysLoad": true },
  };
  const drafts = [
    { name: "up/erase", type: "mutation", annotations: said },
    { name: "up/read", annotations: said },
  ] as const;

  function hintsIn({ source, registrations }: SourceSet): readonly unknown[] {
    const registry = new Registry();
    registry.apply({ replace: [{ source, registrations }] });
    const facet = { core: false, query: false, holds: () => true };
    const caller = { identity: ANONYMOUS, internal: false };
    const tools = listTools(findTools(facet, registry.snapshot()), caller);
    return tools.map(({ annotations }) => annotations);
  }

  test("hints that an untrusted server gives in its own favour are left out", () => {
    assert.deepEqual(hintsIn(setOf("up", ...drafts)), [{ readOnlyHint: false }, { readOnlyHint: true }]);
  });

  test("hints of a trusted server are shown, but the gateway decides whether a tool writes", () => {
    const { source, registrations } = setOf("up", ...drafts);
    const trusted = registrations.map((registration) => ({ ...registration, trustsHints: true }));
    assert.deepEqual(hintsIn({ source, registrations: trusted }), [
      { destructiveHint: false, openWorldHint: false, readOnlyHint: false },
      { destructiveHint: false, openWorldHint: false, readOnlyHint: true },
    ]);
  });
});
