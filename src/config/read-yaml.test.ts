import assert from "node:assert/strict";
import { test } from "node:test";
import { readYaml } from "./read-yaml.ts";

function refusalOf(text: string): string {
  try {
    readYaml(text, "pinhole.yaml");
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "accepted";
}

test("plain data is read, JSON too, and an empty file says nothing", () => {
  assert.deepEqual(readYaml("a: 1\nb: [x, y]\n", "f").value, { a: 1, b: ["x", "y"] });
  assert.deepEqual(readYaml('{"a": {"b": null}}', "f").value, { a: { b: null } });
  for (const empty of ["", "\n", "# nothing yet\n", "---\n"])
    assert.deepEqual(readYaml(empty, "f").value, null);
});

test("the line of a key, of an item, and of what comes nearest to something missing", () => {
  const { lineOf } = readYaml(
    "a:\n  b: 1\n  c:\n    - x\n    - { d: 2 }\n'e f': &one\n  g: 1\nh: *one\n",
    "f",
  );
  assert.equal(lineOf([]), 1);
  assert.equal(lineOf(["a", "b"]), 2);
  assert.equal(lineOf(["a", "c"]), 3);
  assert.equal(lineOf(["a", "c", "1", "d"]), 5);
  assert.equal(lineOf(["a", "c", "1", "missing", "deeper"]), 5);
  assert.equal(lineOf(["a", "c", "7"]), 3);
  assert.equal(lineOf(["e f", "g"]), 7);
  assert.equal(lineOf(["h", "g"]), 8);
  assert.equal(lineOf(["missing"]), 1);
});

test("the mistakes that people make are named with their line and what to do", () => {
  assert.equal(
    refusalOf("a: 1\nb: 2\na: 3\n"),
    "pinhole.yaml:3  This key stands here for the second time. Keep one of the two.",
  );
  assert.equal(refusalOf("a:\n\tb: 1\n"), "pinhole.yaml:2  This line is indented with a tab. Use spaces.");
  assert.match(refusalOf("a: 1\n---\nb: 2\n"), /^pinhole.yaml:2 {2}A second document begins here/);
  assert.match(refusalOf("a: b: c\n"), /^pinhole.yaml:1 {2}A value and a new key stand on one line/);
  assert.match(refusalOf("a: !secret x\n"), /^pinhole.yaml:1 {2}Tags/);
  assert.match(refusalOf("? [a]\n: 1\n"), /A key is a plain text/);
  assert.match(refusalOf('a: "x\n'), /^pinhole.yaml:\d {2}This is not valid YAML: Missing closing/);
});

test("what stands in a broken line is not repeated", () => {
  assert.match(refusalOf("a: |hunter2\n  b\n"), /^pinhole.yaml:1 {2}This is not valid YAML: [^:]*\.$/m);
  for (const text of ["a: |hunter2\n  b\n", "]hunter2", 'a: "\\hunter2"', "a: 'x' hunter2"]) {
    assert.doesNotMatch(refusalOf(text), /hunter2|accepted/);
  }
});

test("aliases that lead nowhere or multiply without end are refused, a few are fine", () => {
  assert.deepEqual(readYaml("a: &x [1]\nb: *x\n", "f").value, { a: [1], b: [1] });
  assert.match(refusalOf("a: *nowhere\n"), /^pinhole.yaml {2}The aliases \(\*name\) lead nowhere/);
  const bomb = Array.from({ length: 9 }, (_, n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`);
  assert.match(refusalOf(["a-1: &a-1 [x,x,x]", ...bomb].join("\n")), /or to far too much/);
});

test("a file that is broken throughout is answered with its first faults, and never with a crash", () => {
  assert.equal(refusalOf("\tx: 1\n".repeat(1000)).split("\n").length, 11);
  assert.match(refusalOf(`a: ${"[".repeat(10_000)}`), /This is not valid YAML/);
});
