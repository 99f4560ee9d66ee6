import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuery } from "./query.ts";

const read = (action: "search" | "schema", text: string) => readQuery(action, new URLSearchParams(text));

test("one query in an address is a text and several are a list", () => {
  assert.deepEqual(read("search", "query=send+mail"), { query: "send mail" });
  assert.deepEqual(read("search", "query=a&query=b&namespace=x"), { query: ["a", "b"], namespace: "x" });
  assert.deepEqual(read("search", ""), {});
});

test("a limit is a number where it looks like one, and stays what it is where it does not", () => {
  assert.deepEqual(read("search", "limit=5"), { limit: 5 });
  for (const odd of ["", "5.5", "five", "1e3", "0x10", "9".repeat(20)]) {
    assert.deepEqual(read("search", `limit=${odd}`), { limit: odd });
  }
  assert.deepEqual(read("search", "limit=1&limit=2"), { limit: ["1", "2"] });
});

test("names of operations are collected from name and names", () => {
  assert.deepEqual(read("schema", "name=a/b"), { names: ["a/b"] });
  assert.deepEqual(read("schema", "name=a/b&names=c/d&name=e/f"), { names: ["a/b", "e/f", "c/d"] });
  assert.deepEqual(read("schema", "nmae=a/b"), { nmae: "a/b" });
  assert.deepEqual(read("search", "name=a"), { name: "a" });
});

test("no name of a parameter reaches a prototype", () => {
  const given = read("search", "__proto__=x&constructor=y");
  assert.deepEqual(Object.keys(given), ["__proto__", "constructor"]);
  assert.equal(Object.getPrototypeOf(given), Object.prototype);
});
