import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureSuffices } from "./signature-suffices.ts";

test("a signature suffices when it is whole and every required parameter is plain", () => {
  for (const signature of [
    "() → any",
    "(owner: string, count?: integer) → issue",
    '(state: "open" | "a, b" | null, ids: string[], rows: (string | number)[]) → any',
    "(id: string, options?: object, filter?: {a, b}) → any",
    "(id: string) → {a, b, c, d, …}",
  ]) {
    assert.equal(signatureSuffices(signature), true, signature);
  }
});

test("a signature does not suffice when the input is cut short, or a required parameter has an inside", () => {
  for (const signature of [
    "(a: string, … 3 more) → any",
    '(state: "a" | "b" | …) → any',
    "(owner: string, repo: st…",
    "(body: object) → any",
    "(id: string, body: {a, b}) → any",
    "(rows: {a, b}[], x?: string) → any",
    "(pair: string | object) → any",
    "(issue: Issue) → any",
    "(value: any) → any",
  ]) {
    assert.equal(signatureSuffices(signature), false, signature);
  }
});
