import { join } from "node:path";
import { DEMO } from "../../src/demo/index.ts";
import { type ServeOptions, serveRuntime } from "../support/serve.ts";
import { createFixtureEndpoint } from "./fixture.ts";
import { type Revision, requiredScenarios, runCli } from "./suite.ts";

/** What the suite is run against. */
export const TARGETS = {
  fixture: { serve: () => ({ mcp: createFixtureEndpoint() }), baseline: "expected-failures-fixture.yml" },
  "four tools": { serve: () => ({ sources: DEMO }), baseline: "expected-failures-four-tools.yml" },
} as const satisfies Record<string, { readonly serve: () => ServeOptions; readonly baseline: string }>;

/** The name of a target. */
export type Target = keyof typeof TARGETS;

/** How one run of the suite went, counting what the revision requires. */
export interface Verdict {
  readonly target: Target;
  readonly revision: Revision;
  readonly ok: boolean;
  /** Required scenarios, and those of them in which no check fails; warnings are none. */
  readonly scenarios: { readonly required: number; readonly passed: number };
  readonly checksPassed: number;
  /** Checks as scenario:id that fail or warn against the baseline, or pass against it. */
  readonly unexpected: readonly string[];
  /** Checks that fail or warn as the baseline says. */
  readonly expected: readonly string[];
  /** Everything that the suite said. */
  readonly output: string;
}

/** Serves a target and runs the official suite against it, as the revision requires. */
export async function runSuite(target: Target, revision: Revision): Promise<Verdict> {
  const server = await serveRuntime(TARGETS[target].serve());
  try {
    const { status, output } = await runCli([
      "server",
      ...["--url", server.mcpUrl.href],
      ...["--requirements", revision],
      ...["--expected-failures", baselineOf(target)],
    ]);
    return { target, revision, ok: status === 0, output, ...figuresOf(output, revision) };
  } finally {
    await server.close(0);
  }
}

/** The file that says which checks of a target are expected to fail. */
export function baselineOf(target: Target): string {
  return join(import.meta.dirname, TARGETS[target].baseline);
}

function figuresOf(output: string, revision: Revision) {
  const required = new Set(requiredScenarios(revision, "server"));
  const summaries = [...output.matchAll(/^([✓✗]) (\S+): (\d+) passed, \d+ failed$/gm)];
  const expected = listed(output, "Expected failures (in baseline):");
  const unexpected = [
    ...listed(output, "Unexpected failures (not in baseline):"),
    ...listed(output, "Stale baseline entries (now passing - remove from baseline):"),
  ];
  const run = summaries.filter(([, , scenario = ""]) => required.has(scenario));
  return {
    scenarios: { required: required.size, passed: run.filter(([, mark]) => mark === "✓").length },
    checksPassed: run.reduce((sum, [, , , passed]) => sum + Number(passed), 0),
    expected,
    unexpected,
  };
}

/** The entries that the suite prints below a headline, one a line. */
function listed(output: string, headline: string): readonly string[] {
  const [, below = ""] = output.split(`${headline}\n`);
  const [list = ""] = below.split("\n\n");
  return [...list.matchAll(/^ {2}[~✓✗] (\S+)$/gm)].map(([, entry = ""]) => entry);
}
