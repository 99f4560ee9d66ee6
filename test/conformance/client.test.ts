import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { reasonToSkip } from "../support/real-servers.ts";
import { CLIENT_BASELINE, runClientSuite } from "./client-run.ts";
import { REVISIONS } from "./suite.ts";

const TEXT = readFileSync(CLIENT_BASELINE, "utf8");
const EXPECTED: readonly string[] = parse(TEXT).client;
/** Here the client does right to fail. */
const MUST_FAIL = [
  "auth/scope-retry-limit",
  "auth/resource-mismatch",
  "auth/iss-supported-missing",
  "auth/iss-wrong-issuer",
  "auth/iss-unexpected",
  "auth/iss-normalized",
  "auth/metadata-issuer-mismatch",
];
const skip = reasonToSkip({ packages: ["@modelcontextprotocol/conformance"] });

describe("the official conformance suite, with the connection to upstream servers as the client", {
  skip,
}, () => {
  for (const revision of REVISIONS) {
    test(`the official conformance suite for clients passes at ${revision}, apart from what is known to fail`, async (t) => {
      const { ok, output, required, run, failed, crashes, checksPassed } = await runClientSuite(revision);
      assert.ok(ok, output);
      assert.deepEqual(
        required.filter((scenario) => !run.includes(scenario)),
        [],
        output,
      );
      // Also those that the revision does not count.
      const wrong = failed.filter((scenario) => !EXPECTED.includes(scenario));
      assert.deepEqual(wrong, [], output);
      const least = run.filter((scenario) => MUST_FAIL.includes(scenario)).length;
      const most = least + run.filter((scenario) => EXPECTED.includes(scenario)).length;
      assert.ok(crashes >= least && crashes <= most, `${crashes} clients failed\n${output}`);
      const passed = required.filter((scenario) => !failed.includes(scenario));
      t.diagnostic(
        `${passed.length} of ${required.length} required scenarios pass with ${checksPassed} checks.`,
      );
      assert.equal(passed.length, required.length);
    });
  }

  test("the official conformance suite for clients is expected to fail only with extensions, each time with its reason", () => {
    const entries = TEXT.split("\n").filter((line) => line.trimStart().startsWith("-"));
    assert.equal(entries.length, EXPECTED.length);
    assert.deepEqual(
      entries.filter((line) => !/^ {2}- auth\/[\w-]+ # extension: \S.{10,}$/.test(line)),
      [],
    );
  });
});
