import assert from "node:assert/strict";
import { test } from "node:test";
import { createRanker, wordsOf } from "./bm25.ts";

test("the text with the rarest words of the query comes first; one without any of them does not come", () => {
  const rank = createRanker([
    "list files in a folder",
    "read a file in a folder",
    "list charges in a folder of an account",
    "weather",
  ]);
  assert.deepEqual(rank("list the charges in a folder"), [2, 0, 1]);
  assert.deepEqual(rank("nothing known"), []);
});

test("the shorter of two texts with the same word is better, and the first of two that are alike", () => {
  assert.deepEqual(
    createRanker(["send mail now to all and sundry", "send mail", "send mail"])("mail"),
    [1, 2, 0],
  );
});

test("words are separated by punctuation, and identifiers are split", () => {
  assert.deepEqual(wordsOf("getStockPrice(user_id: v2) 必应"), [
    "get",
    "stock",
    "price",
    "user",
    "id",
    "v",
    "2",
    "必应",
  ]);
});
