import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createDistance } from "../../../core/index.ts";
import { Dictionary } from "./dictionary.ts";
import { expand } from "./expand.ts";

function dictionaryOf(...terms: readonly string[]): Dictionary {
  const dictionary = new Dictionary();
  for (const term of terms) dictionary.enter(term);
  return dictionary;
}

function found(word: string, dictionary: Dictionary, isIn = (_term: string) => true): readonly string[] {
  const countOf = (term: number) => (isIn(dictionary.termOf(term)) ? 1 : 0);
  return expand(word, dictionary, countOf).map(({ term }) => dictionary.termOf(term));
}

test("a word matches the words that begin with it, the shortest first and not too many", () => {
  const dictionary = dictionaryOf("repository", "report", "reposit", "rest", "deposit");
  assert.deepEqual(found("repo", dictionary), ["report", "reposit", "repository"]);
  const many = dictionaryOf(...Array.from({ length: 26 }, (_, at) => `word${String.fromCharCode(97 + at)}`));
  assert.equal(found("word", many).length, 6);
});

test("a word that begins no other matches those that are a slip away", () => {
  const dictionary = dictionaryOf("issu", "branch", "weather", "configur");
  assert.deepEqual(found("isue", dictionary), ["issu"]);
  assert.deepEqual(found("brnach", dictionary), ["branch"]);
  assert.deepEqual(found("wheather", dictionary), ["weather"]);
  assert.deepEqual(found("xeather", dictionary), [], "the first letter is mostly right");
});

test("a word that is like no other matches the longest word that it begins with", () => {
  const dictionary = dictionaryOf("rechn", "rechnung", "rech");
  assert.deepEqual(found("rechnungsvorlage", dictionary), ["rechnung"]);
});

test("words that no document of the caller has do not count, nor do they hide others", () => {
  const dictionary = dictionaryOf("repository", "rept");
  assert.deepEqual(
    found("repo", dictionary, (term) => term !== "repository"),
    ["rept"],
  );
  assert.deepEqual(
    found("repo", dictionary, () => false),
    [],
  );
});

test("numbers, very short words and scripts without spaces stand for themselves alone", () => {
  const dictionary = dictionaryOf("v20", "abc", "搜索索");
  for (const word of ["v2", "ab", "搜索", "a1b"]) assert.deepEqual(found(word, dictionary), []);
});

test("the quick look at letters never leaves out a word that is a slip away", () => {
  const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz");
  const word = fc.array(letter, { minLength: 4, maxLength: 12 }).map((letters) => letters.join(""));
  const slip = fc.record({ kind: fc.nat({ max: 3 }), at: fc.nat({ max: 20 }), letter });
  fc.assert(
    fc.property(word, fc.array(slip, { maxLength: 2 }), (meant, slips) => {
      let typed = meant;
      for (const { kind, at: any, letter: other } of slips) {
        const at = 1 + (any % (typed.length - 1));
        const rest = [
          typed.slice(at + 1),
          typed.slice(at),
          other + typed.slice(at),
          other + typed.slice(at + 1),
        ];
        typed = typed.slice(0, at) + rest[kind];
      }
      const most = typed.length < 8 ? 1 : 2;
      const editsTo = createDistance(typed);
      const isSlip = (other: string) => editsTo(other, most) <= most;
      if (Math.abs(typed.length - meant.length) > most || !(isSlip(meant) || isSlip(`${meant}e`))) return;
      assert.ok(found(typed, dictionaryOf(meant)).includes(meant), `${typed} for ${meant}`);
    }),
    { numRuns: 500 },
  );
});
