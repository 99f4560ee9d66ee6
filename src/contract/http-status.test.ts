import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ERROR_TABLE, type ErrorDefinition, type TableCode } from "../core/index.ts";
import { HTTP_STATUS, httpStatusOf } from "./http-status.ts";

const FAMILY: ErrorDefinition = { code: "OWN_*", description: "", httpStatus: 502 };

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
  assert.equal(statusOf("constructor", true), 500);
});

test("a code that shares a declared entry with others is 503 where it may be tried again", () => {
  const later = (code: string, declared: readonly ErrorDefinition[]) =>
    httpStatusOf({ code, retryable: true }, { authenticated: true }, declared);
  assert.equal(later("OWN_8", [FAMILY]), 503);
  assert.equal(later("OWN_8", [FAMILY, { code: "OWN_8", description: "", httpStatus: 429 }]), 429);
  assert.equal(later("TIMEOUT", [{ code: "*", description: "", httpStatus: 400 }]), 504);
});

test("the documented table of errors is the one in the code", () => {
  const text = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const documented = [...text.matchAll(/^\| `([A-Z_]+)` \| (yes|no) \| (\d+)[^|]*\| ([^|]+) \|$/gm)].map(
    ([, code, retryable, status, meaning]) => [code, retryable === "yes", Number(status), meaning?.trim()],
  );
  const inCode = Object.entries(ERROR_TABLE).map(([code, { retryable, meaning }]) => [
    code,
    retryable,
    HTTP_STATUS[code as TableCode],
    meaning,
  ]);
  assert.deepEqual(documented, inCode);
});
