import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { reasonToSkip } from "../support/real-servers.ts";
import { CLIENT_BASELINE, runClientSuite } from "./client-run.ts";
import { REVISIONS } from "./suite.ts";

const TEXT = readFileSync(CLIENT_BASELINE, "utf8");
const EXPECTED: readonly string[] = parse(TEXT).client;
/** The client leaves these at once, with an error of its own. */
const needsOauth = (scenario: string) => scenario.startsWith("auth/");
const skip = reasonToSkip({ packages: ["@modelcontextprotocol/conformance"] });

describe("the official conformance suite, with the connection to upstream servers as the client", {
  skip,
}, () => {
  for (const revision of REVISIONS) {
    test(`passes at ${revision}, apart from what is known to fail`, async (t) => {
      const { ok, output, required, run, failed, crashes, checksPassed } = await runClientSuite(revision);
      assert.ok(ok, output);
      assert.deepEqual(
        required.filter((scenario) => !run.includes(scenario)),
        [],
        output,
      );
      // Also those that the revision does not count.
      const wrong = failed.filter((scenario) => !needsOauth(scenario) && !EXPECTED.includes(scenario));
      assert.deepEqual(wrong, [], output);
      assert.equal(crashes, run.filter(needsOauth).length, output);
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

  test("is expected to fail only with OAuth and with questions on a legacy connection, each with its reason", () => {
    const entries = TEXT.split("\n").filter((line) => line.trimStart().startsWith("-"));
    assert.equal(entries.length, EXPECTED.length);
    assert.deepEqual(
      entries.filter(
        (line) => !/^ {2}- (auth\/[\w-]+|elicitation-sep1034-client-defaults) # \S.{10,}$/.test(line),
      ),
      [],
    );
  });
});
