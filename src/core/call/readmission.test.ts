import assert from "node:assert/strict";
import { test } from "node:test";
import type { Identity } from "../model/index.ts";
import { CallError } from "../model/index.ts";
import { refusalToReadmit } from "./readmission.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: ["read", "write"] };

async function codeOf(identity: Partial<Identity>): Promise<string | undefined> {
  return (await refusalToReadmit(ADA, Promise.resolve({ identity: { ...ADA, ...identity } })))?.code;
}

test("the same caller with all its scopes is readmitted, in any order and with more scopes", async () => {
  assert.equal(await codeOf({}), undefined);
  assert.equal(await codeOf({ scopes: ["more", "write", "read"] }), undefined);
});

test("another caller with the same token, or the same with fewer scopes, is not readmitted", async () => {
  assert.equal(await codeOf({ id: "bob" }), "FORBIDDEN");
  assert.equal(await codeOf({ scopes: ["read"] }), "FORBIDDEN");
});

test("a refusal is handed on, and who cannot be asked has not refused", async () => {
  const forbidden = new CallError("FORBIDDEN", "No.");
  assert.equal(await refusalToReadmit(ADA, Promise.reject(forbidden)), forbidden);
  for (const error of [new CallError("UNAVAILABLE", "Later."), new TypeError("a bug")])
    assert.equal(await refusalToReadmit(ADA, Promise.reject(error)), undefined);
});
