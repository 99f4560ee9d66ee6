import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CallError, ERROR_TABLE, httpStatusOf, rowOf } from "./errors.ts";
import type { ErrorDefinition } from "./operation.ts";

const FAMILY: ErrorDefinition = { code: "OWN_*", description: "", httpStatus: 502 };

test("an error knows from the table whether it may be tried again", () => {
  assert.equal(new CallError("UNAVAILABLE", "").retryable, true);
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

test("an error of another copy of the package is a CallError too, and nothing else is", async () => {
  const copy = `${import.meta.url.replace("errors.test.ts", "errors.ts")}?copy`;
  const { CallError: Other }: { readonly CallError: typeof CallError } = await import(copy);
  assert.notEqual(Other, CallError);
  assert.ok(new Other("OWN", "") instanceof CallError);
  assert.ok(new CallError("OWN", "") instanceof Other);
  for (const value of [new Error("OWN"), { code: "OWN", name: "CallError" }, null, undefined, "CallError"])
    assert.equal(value instanceof CallError, false);
});

test("the status is the table's, the declared one, or 500", () => {
  const statusOf = (code: string, authenticated: boolean, declared?: readonly ErrorDefinition[]) =>
    httpStatusOf({ code, retryable: false }, { authenticated }, declared);
  assert.equal(statusOf("FORBIDDEN", true), 403);
  assert.equal(statusOf("FORBIDDEN", false), 401);
  assert.equal(statusOf("INVALID_INPUT", false), 422);
  assert.equal(statusOf("OWN", true, [{ code: "OWN", description: "", httpStatus: 402 }]), 402);
  assert.equal(statusOf("OWN_7", true, [FAMILY, { code: "OWN_7", description: "", httpStatus: 402 }]), 402);
  assert.equal(statusOf("OWN_8", true, [FAMILY]), 502);
  assert.equal(statusOf("OTHER_8", true, [FAMILY]), 500);
  assert.equal(statusOf("OWN", true), 500);
  assert.equal(rowOf("constructor"), undefined);
});

test("a code that one entry stands for with others is 503 where it may be tried again", () => {
  const later = (code: string, declared: readonly ErrorDefinition[]) =>
    httpStatusOf({ code, retryable: true }, { authenticated: true }, declared);
  assert.equal(later("OWN_8", [FAMILY]), 503);
  assert.equal(later("OWN_8", [FAMILY, { code: "OWN_8", description: "", httpStatus: 429 }]), 429);
  assert.equal(later("TIMEOUT", [{ code: "*", description: "", httpStatus: 400 }]), 504);
});

test("the documented table of errors is the one in the code", () => {
  const text = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
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
