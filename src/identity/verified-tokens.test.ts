import assert from "node:assert/strict";
import { test } from "node:test";
import { VerifiedTokens } from "./verified-tokens.ts";

const ADA = { id: "ada", authenticated: true, scopes: [] };

test("the cache of verified tokens keeps the most recently used ones", () => {
  const tokens = new VerifiedTokens(2);
  const keep = (digest: string) => tokens.set(digest, { identity: ADA, until: 10, era: tokens.era });
  keep("one");
  keep("two");
  assert.equal(tokens.get("one", 0), ADA);
  keep("three");
  assert.deepEqual(
    ["one", "two", "three"].map((digest) => tokens.get(digest, 0)),
    [ADA, undefined, ADA],
  );
});

test("a verified token is forgotten when it expires, or when the cache is cleared", () => {
  const tokens = new VerifiedTokens(2);
  const { era } = tokens;
  tokens.set("one", { identity: ADA, until: 10, era });
  assert.equal(tokens.get("one", 9), ADA);
  assert.equal(tokens.get("one", 10), undefined);
  tokens.set("one", { identity: ADA, until: 10, era });
  tokens.clear();
  assert.equal(tokens.get("one", 0), undefined);
  tokens.set("one", { identity: ADA, until: 10, era });
  assert.equal(tokens.get("one", 0), undefined, "what was checked before is not taken after");
});
