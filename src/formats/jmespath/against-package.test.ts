import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import jmespath from "jmespath";
import { createSelector } from "./selector.ts";

const { select } = createSelector();

/**
 * Deviations of the package from the specification; expressions that meet them are not compared: numbers
 * are sorted as texts; `max`, `min` and their kin compare texts by the local alphabet or not at all; an average of nothing
 * is NaN; `starts_with` and `ends_with` fail for texts that occur twice or are too long; `contains` compares neither lists
 * nor numbers in texts; `<` turns texts into numbers; a text has as many characters as it has UTF-16 units; to_number takes
 * blanks and "0x10"; `[a b]` and `f(a b)` need no comma; `length(@.a)` and `(@.a)` cannot be parsed; `&a` is allowed anywhere; only the
 * first quote of a string can be escaped; inherited properties count as data.
 */
const NAMES = ["a", "b", "c"];

const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1.5, "", "x", "xy", "7"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const name = fc.constantFrom(...NAMES, '"a"');
const literal = fc.constantFrom("`1`", "`0`", "`[1,2]`", '`{"a":1}`', "`null`", "'x'", '`"xy"`', "`true`");
const index = fc.constantFrom(
  "[0]",
  "[-1]",
  "[1:]",
  "[:2]",
  "[::-1]",
  "[-2::2]",
  "[5:0:-2]",
  "[*]",
  "[]",
  ".*",
);
const onOne = fc.constantFrom(
  "type",
  "to_array",
  "to_string",
  "length",
  "keys",
  "values",
  "reverse",
  "abs",
  "ceil",
  "floor",
  "sum",
  "not_null",
  "merge",
);

const expression = fc.letrec<{ any: string }>((tie) => {
  const any = tie("any");
  const pair = fc.tuple(any, any);
  return {
    any: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      name,
      literal,
      fc.constant("not_null(@)"),
      fc.tuple(any, name).map(([left, right]) => `${left}.${right}`),
      fc.tuple(any, index).map(([left, right]) => left + right),
      fc.tuple(any, any).map(([left, condition]) => `${left}[?${condition}]`),
      fc.tuple(any, any).map(([left, inner]) => `${left}.[${inner}]`),
      fc.tuple(pair, name).map(([[one, other], field]) => `{${field}: ${one}, z: ${other}}`),
      pair.map(([one, other]) => `[${one}, ${other}]`),
      fc
        .tuple(pair, fc.constantFrom("|", "||", "&&", "==", "!="))
        .map(([[one, other], mark]) => `${one} ${mark} ${other}`),
      any.map((inner) => `(${inner})`),
      any.map((inner) => `!${inner}`),
      fc.tuple(onOne, any).map(([called, inner]) => `${called}((${inner}))`),
      fc.tuple(any, any).map(([each, list]) => `map(&(${each}), (${list}))`),
      any.map((list) => `join('-', (${list}))`),
    ),
  };
}).any;

test("an expression gives the result of the reference implementation, or both refuse it", () => {
  let values = 0;
  fc.assert(
    fc.property(expression, data, (text, value) => {
      const ours = outcome(() => select(text, value));
      const theirs = outcome(() => jmespath.search(value, text));
      if (ours !== "refused") values++;
      assert.deepEqual(ours, theirs, text);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(values > 500, `only ${values} expressions gave something`);
});

/** As JSON, because the package returns undefined for missing values. */
function outcome(run: () => unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(run()) ?? "null");
  } catch {
    return "refused";
  }
}
