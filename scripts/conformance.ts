/**
 * `npm run test:conformance`: the official conformance suite against the four tools, against a fixture on
 * the same HTTP stack that has everything the suite asks for, and against the connection to upstream
 * servers. `npm test` includes it.
 */
import { CLIENT_BASELINE, type ClientVerdict, runClientSuite } from "../test/conformance/client-run.ts";
import { baselineOf, runSuite, TARGETS, type Target, type Verdict } from "../test/conformance/run.ts";
import { leftOut, REVISIONS, suiteName } from "../test/conformance/suite.ts";

const targets = Object.keys(TARGETS) as Target[];
const verdicts: Verdict[] = [];
for (const target of targets) {
  for (const revision of REVISIONS) {
    const verdict = await runSuite(target, revision);
    verdicts.push(verdict);
    if (!verdict.ok) console.log(verdict.output);
    console.log(lineOf(verdict));
  }
}

const clients: ClientVerdict[] = [];
for (const revision of REVISIONS) {
  const verdict = await runClientSuite(revision);
  clients.push(verdict);
  if (!verdict.ok) console.log(verdict.output);
  console.log(lineOfClient(verdict));
}

for (const target of targets) tellLeftOut(target, baselineOf(target));
tellLeftOut("client", CLIENT_BASELINE);

const all = [...verdicts, ...clients];
const passed = sum(all.map(({ checksPassed }) => checksPassed));
const failed =
  sum(verdicts.map(({ ok, unexpected }) => (ok ? 0 : Math.max(1, unexpected.length)))) +
  clients.filter(({ ok }) => !ok).length;
const expected =
  sum(verdicts.map((verdict) => verdict.expected.length)) +
  sum(clients.map((verdict) => expectedOf(verdict).length));
console.log(
  `${suiteName()}, ${all.length} runs: ${passed} passed, ${failed} failed, ${expected} expected to fail for a reason`,
);
process.exitCode = failed > 0 ? 1 : 0;

/** Prints what a baseline leaves out, together where the reason is the same. */
function tellLeftOut(name: string, baseline: string): void {
  const byReason = Map.groupBy(leftOut(baseline), ({ reason }) => reason);
  console.log(`\nLeft out of ${name}: ${byReason.size === 0 ? "nothing" : ""}`);
  for (const [reason, entries] of byReason)
    console.log(`  ${entries.map(({ entry }) => entry).join(", ")}\n    ${reason}`);
}

function lineOf({
  target,
  revision,
  ok,
  scenarios,
  checksPassed,
  expected: known,
  unexpected,
}: Verdict): string {
  const whole = `${scenarios.passed} of ${scenarios.required} required scenarios`;
  const checks = `${checksPassed} checks passed, ${known.length} fail or warn as expected`;
  const wrong = unexpected.map((check) => `\n  ${check} is not as expected`).join("");
  return `${ok ? "ok    " : "FAILED"} ${target.padEnd(10)} ${revision}: ${whole}, ${checks}${wrong}`;
}

function lineOfClient(verdict: ClientVerdict): string {
  const { revision, required, checksPassed } = verdict;
  const later = expectedOf(verdict).length;
  const whole = `${required.length - later} of ${required.length} required scenarios`;
  return `${verdict.ok ? "ok    " : "FAILED"} client     ${revision}: ${whole}, ${checksPassed} checks passed, ${later} scenarios fail as expected`;
}

function expectedOf({ required, failed: failing }: ClientVerdict): readonly string[] {
  return required.filter((scenario) => failing.includes(scenario));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
