import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CallError, ERROR_TABLE, httpStatusOf, rowOf } from "./errors.ts";

test("an error knows from the table whether it may be tried again", () => {
  assert.equal(new CallError("TIMEOUT", "").retryable, true);
  assert.equal(new CallError("NOT_FOUND", "").retryable, false);
  assert.equal(new CallError("OWN_CODE", "").retryable, false);
  assert.equal(new CallError("OWN_CODE", "", { retryable: true }).retryable, true);
});

test("an error shows code, message, retryable and details, and never its cause", () => {
  const error = new CallError("OWN", "What happened.", { details: { a: 1 }, cause: new Error("secret") });
  assert.equal(
    JSON.stringify(error),
    '{"code":"OWN","message":"What happened.","retryable":false,"details":{"a":1}}',
  );
  assert.equal(JSON.stringify(new CallError("OWN", "m")), '{"code":"OWN","message":"m","retryable":false}');
  assert.ok(error.cause instanceof Error);
});

test("the status is the table's, the declared one, or 500", () => {
  const known = { authenticated: true };
  const unknown = { authenticated: false };
  assert.equal(httpStatusOf("FORBIDDEN", known), 403);
  assert.equal(httpStatusOf("FORBIDDEN", unknown), 401);
  assert.equal(httpStatusOf("INVALID_INPUT", unknown), 422);
  assert.equal(httpStatusOf("OWN", known, [{ code: "OWN", description: "", httpStatus: 402 }]), 402);
  const family = { code: "OWN_*", description: "", httpStatus: 502 };
  assert.equal(
    httpStatusOf("OWN_7", known, [family, { code: "OWN_7", description: "", httpStatus: 402 }]),
    402,
  );
  assert.equal(httpStatusOf("OWN_8", known, [family]), 502);
  assert.equal(httpStatusOf("OTHER_8", known, [family]), 500);
  assert.equal(httpStatusOf("OWN", known), 500);
  assert.equal(rowOf("constructor"), undefined);
});

test("the documented table of errors is the one in the code", () => {
  const text = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const documented = [...text.matchAll(/^\| `([A-Z_]+)` \| (yes|no) \| (\d+)[^|]*\| ([^|]+) \|$/gm)].map(
    ([, code, retryable, status, meaning]) => [code, retryable === "yes", Number(status), meaning?.trim()],
  );
  const inCode = Object.entries(ERROR_TABLE).map(([code, { retryable, httpStatus, meaning }]) => [
    code,
    retryable,
    httpStatus,
    meaning,
  ]);
  assert.deepEqual(documented, inCode);
});
