import assert from "node:assert/strict";
import { test } from "node:test";
import { stem } from "./stem.ts";
import { isUnspaced, wordsOf } from "./words.ts";

test("identifiers are split where a reader would split them", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["createIssue", "create issue"],
    ["create_issue-now.v2", "create issue now v2"],
    ["listHTTPCalls", "list http calls"],
    ["listURLs", "list urls"],
    ["IPv4Address", "i pv4 pv address"],
    ["mp4", "mp4 mp"],
    ["2024-05-01", "2024 05 01"],
    ["Don't stop", "don t stop"],
  ];
  for (const [text, words] of cases) assert.equal(wordsOf(text).join(" "), words, text);
});

test("accents fall, umlauts have two spellings", () => {
  assert.deepEqual(wordsOf("Élève Łódź"), ["eleve", "lodz"]);
  assert.deepEqual(wordsOf("Größe"), ["grosse", "groesse"]);
  assert.deepEqual(wordsOf("naïve façade"), ["naive", "facade"]);
});

test("scripts without spaces give pairs of characters", () => {
  assert.deepEqual(wordsOf("搜索笔记"), ["搜索", "索笔", "笔记"]);
  assert.deepEqual(wordsOf("查"), ["查"]);
  assert.deepEqual(wordsOf("用API搜索"), ["用", "api", "搜索"]);
  assert.ok(isUnspaced("搜索") && isUnspaced("テスト") && !isUnspaced("word") && !isUnspaced("größe"));
});

test("forms of a word have one stem", () => {
  const families = [
    ["create", "creates", "created", "creating", "creation"],
    ["query", "queries"],
    ["convert", "converts", "converted", "converting"],
    ["run", "running", "runs"],
    ["generate", "generates", "generator", "generation"],
    ["address", "addresses"],
    ["status", "status"],
    ["organization", "organizations", "organisation"],
  ];
  for (const [first = "", ...others] of families) {
    for (const other of others) assert.equal(stem(other), stem(first), other);
  }
  assert.equal(stem("größe"), "größe");
  assert.equal(stem("v2"), "v2");
});
