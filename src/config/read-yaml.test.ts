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

test("plain data and JSON are read, and an empty file is null", () => {
  assert.deepEqual(readYaml("a: 1\nb: [x, y]\n", "f").value, { a: 1, b: ["x", "y"] });
  assert.deepEqual(readYaml('{"a": {"b": null}}', "f").value, { a: { b: null } });
  for (const empty of ["", "\n", "# nothing yet\n", "---\n"])
    assert.deepEqual(readYaml(empty, "f").value, null);
});

test("the line of a key, of an item, and of the nearest existing part of a missing path is known", () => {
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

test("common mistakes in YAML are reported with their line and what to do", () => {
  assert.equal(
    refusalOf("a: 1\nb: 2\na: 3\n"),
    "pinhole.yaml:3  This key is here for the second time. Keep one of them.",
  );
  assert.equal(refusalOf("a:\n\tb: 1\n"), "pinhole.yaml:2  This line is indented with a tab. Use spaces.");
  assert.match(refusalOf("a: 1\n---\nb: 2\n"), /^pinhole.yaml:2 {2}A second document begins here/);
  assert.match(refusalOf("a: b: c\n"), /^pinhole.yaml:1 {2}A value and a new key are on one line/);
  assert.match(refusalOf("a: !secret x\n"), /^pinhole.yaml:1 {2}Tags/);
  assert.match(refusalOf("? [a]\n: 1\n"), /A key must be plain text/);
  assert.match(refusalOf('a: "x\n'), /^pinhole.yaml:\d {2}This is not valid YAML: Missing closing/);
});

test("the content of a broken line is not repeated", () => {
  assert.match(refusalOf("a: |hunter2\n  b\n"), /^pinhole.yaml:1 {2}This is not valid YAML: [^:]*\.$/m);
  for (const text of ["a: |hunter2\n  b\n", "]hunter2", 'a: "\\hunter2"', "a: 'x' hunter2"]) {
    assert.doesNotMatch(refusalOf(text), /hunter2|accepted/);
  }
});

test("aliases without an anchor or that multiply without end are refused, and a few are fine", () => {
  assert.deepEqual(readYaml("a: &x [1]\nb: *x\n", "f").value, { a: [1], b: [1] });
  assert.match(refusalOf("a: *nowhere\n"), /^pinhole.yaml {2}The aliases \(\*name\) have no anchor/);
  const bomb = Array.from({ length: 9 }, (_, n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`);
  assert.match(refusalOf(["a-1: &a-1 [x,x,x]", ...bomb].join("\n")), /or expand to far too much/);
});

test("a file that is broken throughout is refused with its first problems, without a crash", () => {
  assert.equal(refusalOf("\tx: 1\n".repeat(1000)).split("\n").length, 11);
  assert.match(refusalOf(`a: ${"[".repeat(10_000)}`), /This is not valid YAML/);
});
