import { join } from "node:path";
import { hostClients } from "./client-host.ts";
import { leftOut, type Revision, requiredScenarios, runCli } from "./suite.ts";

/** How the client fared, counting what the revision requires. */
export interface ClientVerdict {
  readonly revision: Revision;
  /** The suite found nothing unexpected, and the client failed where it must and nowhere else. */
  readonly ok: boolean;
  /** Scenarios that ran, required or not, and those of them in which a check fails or warns. */
  readonly run: readonly string[];
  readonly failed: readonly string[];
  readonly required: readonly string[];
  /** In how many scenarios the client itself failed; the suite does not object to it. */
  readonly crashes: number;
  /** In required scenarios that pass. */
  readonly checksPassed: number;
  /** Everything that the suite said. */
  readonly output: string;
}

/** The file that says which scenarios are expected to fail. */
export const CLIENT_BASELINE = join(import.meta.dirname, "expected-failures-client.yml");

/** Scenarios in which the client must fail: it meets a server that it must not trust, or that never lets it in. */
const MUST_FAIL = [
  "auth/scope-retry-limit",
  "auth/resource-mismatch",
  "auth/iss-supported-missing",
  "auth/iss-wrong-issuer",
  "auth/iss-unexpected",
  "auth/iss-normalized",
  "auth/metadata-issuer-mismatch",
];

/** Lets the official suite put the connection to upstream servers to the test, as the revision requires. */
export async function runClientSuite(revision: Revision): Promise<ClientVerdict> {
  const args = [
    "client",
    ...["--command", `"${process.execPath}" "${join(import.meta.dirname, "client.mjs")}"`],
    ...["--requirements", revision],
    ...["--expected-failures", CLIENT_BASELINE],
    // All scenarios start at once, and the last ones wait for their turn.
    ...["--timeout", "200000"],
  ];
  const required = requiredScenarios(revision, "client");
  const { status, output } = await hostClients(required.length, (env) => runCli(args, env));
  const summaries = [...output.matchAll(/^([✓✗]) (\S+): (\d+) passed, \d+ failed/gm)].map(
    ([, mark, scenario = "", passed]) => ({ scenario, ok: mark === "✓", passed: Number(passed) }),
  );
  const run = summaries.map(({ scenario }) => scenario);
  const crashes = output.match(/^Client (exited with code|timed out)/gm)?.length ?? 0;
  const expected = leftOut(CLIENT_BASELINE).map(({ entry }) => entry);
  const least = run.filter((scenario) => MUST_FAIL.includes(scenario)).length;
  const most = least + run.filter((scenario) => expected.includes(scenario)).length;
  return {
    revision,
    ok: status === 0 && crashes >= least && crashes <= most,
    output,
    required,
    crashes,
    run,
    failed: summaries.filter(({ ok }) => !ok).map(({ scenario }) => scenario),
    checksPassed: summaries
      .filter(({ scenario, ok }) => ok && required.includes(scenario))
      .reduce((sum, { passed }) => sum + passed, 0),
  };
}
