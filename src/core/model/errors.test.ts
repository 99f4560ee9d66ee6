import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, rowOf } from "./errors.ts";

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

test("a name of Object's prototype is not a code of the table", () => {
  assert.equal(rowOf("constructor"), undefined);
});
