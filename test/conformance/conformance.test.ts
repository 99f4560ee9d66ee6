import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { baselineOf, runSuite, TARGETS, type Target, type Verdict } from "./run.ts";
import { REVISIONS, type Revision } from "./suite.ts";

const runs = new Map<string, Promise<Verdict>>();

describe("the official conformance suite", { concurrency: true }, () => {
  for (const revision of REVISIONS) {
    test(`the official conformance suite passes against the fixture at ${revision}, in all that the revision requires`, async () => {
      const { ok, output, scenarios, expected } = await runOnce("fixture", revision);
      assert.ok(ok, output);
      assert.equal(scenarios.passed, scenarios.required, output);
      assert.deepEqual(expected, []);
    });

    test(`the official conformance suite passes against the four tools at ${revision}, apart from what they do not offer`, async () => {
      const { ok, output, scenarios } = await runOnce("four tools", revision);
      assert.ok(ok, output);
      assert.ok(scenarios.passed > 0, output);
    });
  }

  for (const target of Object.keys(TARGETS) as Target[]) {
    test(`the official conformance suite fails against the ${target} only in single checks, each for a reason`, () => {
      const lines = readFileSync(baselineOf(target), "utf8").split("\n");
      const entries = lines.filter((line) => line.trimStart().startsWith("-"));
      assert.equal(entries.length, entriesOf(target).length);
      assert.deepEqual(
        entries.filter((line) => !/^ {2}- [\w-]+:[\w-]+ # \S.{10,}$/.test(line)),
        [],
      );
    });

    // The suite itself tells of an expected failure that passes, but not of one that it never meets.
    test(`the official conformance suite meets every failure that is expected of the ${target}`, async () => {
      const verdicts = await Promise.all(REVISIONS.map((revision) => runOnce(target, revision)));
      const met = verdicts.flatMap(({ expected }) => expected);
      assert.deepEqual(
        entriesOf(target).filter((entry) => !met.includes(entry)),
        [],
      );
    });
  }
});

function runOnce(target: Target, revision: Revision): Promise<Verdict> {
  const key = `${target} ${revision}`;
  const run = runs.get(key) ?? runSuite(target, revision);
  runs.set(key, run);
  return run;
}

function entriesOf(target: Target): readonly string[] {
  return parse(readFileSync(baselineOf(target), "utf8")).server;
}
