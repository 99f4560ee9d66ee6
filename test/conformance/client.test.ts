import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { reasonToSkip } from "../support/real-servers.ts";
import { CLIENT_BASELINE, runClientSuite } from "./client-run.ts";
import { leftOut, REVISIONS } from "./suite.ts";

const TEXT = readFileSync(CLIENT_BASELINE, "utf8");
const EXPECTED: readonly string[] = parse(TEXT).client;
/** Extensions of the authorization that no revision requires. */
const EXTENSIONS = [
  "auth/client-credentials-basic",
  "auth/client-credentials-jwt",
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/enterprise-managed-authorization",
  "auth/wif-jwt-bearer",
];
const skip = reasonToSkip({ packages: ["@modelcontextprotocol/conformance"] });

describe("the official conformance suite, with the connection to upstream servers as the client", {
  skip,
}, () => {
  for (const revision of REVISIONS) {
    test(`the official conformance suite for clients passes at ${revision}, apart from what is known to fail`, async (t) => {
      const { ok, output, required, run, failed, checksPassed } = await runClientSuite(revision);
      assert.ok(ok, output);
      assert.deepEqual(
        [...required, ...EXTENSIONS].filter((scenario) => !run.includes(scenario)),
        [],
        output,
      );
      // Also those that the revision does not count.
      const wrong = failed.filter((scenario) => !EXPECTED.includes(scenario));
      assert.deepEqual(wrong, [], output);
      const passed = required.filter((scenario) => !failed.includes(scenario));
      t.diagnostic(
        `${passed.length} of ${required.length} required scenarios pass with ${checksPassed} checks.`,
      );
      assert.equal(passed.length, required.length);
    });
  }

  test("the official conformance suite for clients is expected to fail only for a reason", () => {
    assert.equal(leftOut(CLIENT_BASELINE).length, EXPECTED.length);
  });
});
