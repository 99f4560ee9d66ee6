import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { hashToken, newToken, TOKEN_HASH_PATTERN } from "./token.ts";

test("a new token carries 32 random bytes and its hash is SHA-256 of the whole text", () => {
  const { token, tokenHash } = newToken();
  assert.match(token, /^ph_[A-Za-z0-9_-]{43}$/);
  assert.equal(tokenHash, `sha256:${createHash("sha256").update(token).digest("hex")}`);
  assert.equal(hashToken(token), tokenHash);
  assert.match(tokenHash, new RegExp(TOKEN_HASH_PATTERN));
});

test("no two tokens are alike", () => {
  assert.equal(new Set(Array.from({ length: 100 }, () => newToken().token)).size, 100);
});
