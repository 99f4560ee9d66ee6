import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { reasonToSkip } from "../support/real-servers.ts";
import { CLIENT_BASELINE, runClientSuite } from "./client-run.ts";
import { REVISIONS } from "./suite.ts";

const TEXT = readFileSync(CLIENT_BASELINE, "utf8");
const EXPECTED: readonly string[] = parse(TEXT).client;
const skip = reasonToSkip({ packages: ["@modelcontextprotocol/conformance"] });

describe("the official conformance suite, with the connection to upstream servers as the client", {
  skip,
}, () => {
  for (const revision of REVISIONS) {
    test(`passes at ${revision}, apart from what takes OAuth`, async (t) => {
      const { ok, output, required, run, failed, crashes, checksPassed } = await runClientSuite(revision);
      assert.ok(ok, output);
      assert.deepEqual(
        required.filter((scenario) => !run.includes(scenario)),
        [],
        output,
      );
      // Also those that the revision does not count.
      const wrong = failed.filter((scenario) => !scenario.startsWith("auth/"));
      assert.deepEqual(wrong, [], output);
      assert.equal(crashes, run.filter((scenario) => scenario.startsWith("auth/")).length, output);
      const passed = required.filter((scenario) => !failed.includes(scenario));
      t.diagnostic(
        `${passed.length} of ${required.length} required scenarios pass with ${checksPassed} checks.`,
      );
      assert.deepEqual(
        required.filter((scenario) => EXPECTED.includes(scenario)),
        required.filter((scenario) => failed.includes(scenario)),
      );
    });
  }

  test("is expected to fail only in scenarios that take OAuth, each with its reason", () => {
    const entries = TEXT.split("\n").filter((line) => line.trimStart().startsWith("-"));
    assert.equal(entries.length, EXPECTED.length);
    assert.deepEqual(
      entries.filter((line) => !/^ {2}- auth\/[\w-]+ # \S.{10,}$/.test(line)),
      [],
    );
  });
});
