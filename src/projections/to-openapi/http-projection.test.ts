import assert from "node:assert/strict";
import { test } from "node:test";
import { HTTP_STATUS } from "../../contract/index.ts";
import {
  ANONYMOUS,
  CallError,
  ERROR_TABLE,
  type ErrorRow,
  type Identity,
  type TableCode,
} from "../../core/index.ts";
import { type ErrorFrame, toErrorResponse, toResponse, toServiceResponse } from "./http-projection.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: [] };

function answer(error: CallError, frame: ErrorFrame = { identity: ADA }): Response {
  return toErrorResponse(error.toJSON(), "r1", frame);
}

test("every code of the table has its status and the one shape", async () => {
  for (const [code, { retryable }] of Object.entries<ErrorRow>(ERROR_TABLE)) {
    const response = answer(new CallError(code, "It did not work."));
    assert.equal(response.status, HTTP_STATUS[code as TableCode], code);
    assert.deepEqual(await response.json(), {
      error: { code, message: "It did not work.", retryable },
      requestId: "r1",
    });
  }
});

test("a forbidden caller is told how to present itself, and what its token lacks", () => {
  const nobody = answer(new CallError("FORBIDDEN", "No."), { identity: ANONYMOUS });
  assert.equal(nobody.status, 401);
  assert.equal(nobody.headers.get("www-authenticate"), 'Bearer realm="pinhole"');
  const ada = answer(new CallError("FORBIDDEN", "No."));
  assert.equal(ada.status, 403);
  assert.match(ada.headers.get("www-authenticate") ?? "", /insufficient_scope/);
  assert.equal(answer(new CallError("NOT_FOUND", "No.")).headers.get("www-authenticate"), null);
});

test("the time to wait is given in whole seconds, where it is known and waiting helps", () => {
  const waitOf = (code: string, details: unknown) =>
    answer(new CallError(code, "Wait.", { details })).headers.get("retry-after");
  assert.equal(waitOf("RATE_LIMITED", { retryAfterMs: 1_200 }), "2");
  assert.equal(waitOf("UNAVAILABLE", { retryAfterMs: 0 }), "0");
  assert.equal(waitOf("INTERNAL", { retryAfterMs: 1_000 }), null);
  for (const retryAfterMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, "soon", undefined]) {
    assert.equal(waitOf("RATE_LIMITED", { retryAfterMs }), null);
  }
  assert.equal(waitOf("RATE_LIMITED", undefined), null);
});

test("a declared code has its own status, if that is one of a failure", () => {
  const statusWith = (httpStatus?: number) =>
    answer(new CallError("OWN", "No."), {
      identity: ADA,
      declared: () => [{ code: "OWN", description: "", ...(httpStatus !== undefined && { httpStatus }) }],
    }).status;
  assert.equal(statusWith(402), 402);
  for (const odd of [undefined, 200, 204, 302, 99, 600, 404.5, Number.NaN])
    assert.equal(statusWith(odd), 500);
  assert.equal(answer(new CallError("OWN", "No.")).status, 500);
});

test("a success is the output or the answer of the service, with the request id", async () => {
  const frame = { identity: ADA };
  const call = toResponse({ requestId: "r1", output: null }, frame);
  assert.equal(call.status, 200);
  assert.match(call.headers.get("content-type") ?? "", /^application\/json/);
  assert.deepEqual(await call.json(), { requestId: "r1", output: null });
  const search = toServiceResponse({ requestId: "r1", output: { operations: [], total: 0 } }, frame);
  assert.deepEqual(await search.json(), { operations: [], total: 0, requestId: "r1" });
});
