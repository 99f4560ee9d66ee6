/**
 * `npm run test:conformance`: the official conformance suite against the four tools, and against a fixture
 * on the same HTTP stack that has everything the suite asks for. `npm test` includes it.
 */
import {
  REVISIONS,
  runSuite,
  suiteName,
  TARGETS,
  type Target,
  type Verdict,
} from "../test/conformance/run.ts";

const verdicts: Verdict[] = [];
for (const target of Object.keys(TARGETS) as Target[]) {
  for (const revision of REVISIONS) {
    const verdict = await runSuite(target, revision);
    verdicts.push(verdict);
    if (!verdict.ok) console.log(verdict.output);
    console.log(lineOf(verdict));
  }
}

const passed = sum(verdicts.map(({ checksPassed }) => checksPassed));
const failed = sum(verdicts.map(({ ok, unexpected }) => (ok ? 0 : Math.max(1, unexpected.length))));
const expected = sum(verdicts.map((verdict) => verdict.expected.length));
console.log(
  `${suiteName()}, ${verdicts.length} runs: ${passed} passed, ${failed} failed, ${expected} expected to fail for a reason`,
);
process.exitCode = failed > 0 ? 1 : 0;

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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
