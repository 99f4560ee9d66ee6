import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSelector } from "./selector.ts";

const { select } = createSelector();

/** Cases of the specification, in its order; `refused` for an error. */
const REFUSED = Symbol("refused");
type Case = readonly [expression: string, value: unknown, expected: unknown];

const people = [
  { name: "b", age: 30, tags: ["x"] },
  { name: "a", age: 50, tags: ["y", "z"] },
  { name: "c", age: 40 },
];

const CASES: Readonly<Record<string, readonly Case[]>> = {
  "names and quotes": [
    ["a.b.c", { a: { b: { c: 1 } } }, 1],
    ['"with space"."\\u0061"', { "with space": { a: 1 } }, 1],
    ['"a\\"b"', { 'a"b': 1 }, 1],
    ["a", [1], null],
    ["a\r\n\t .b", { a: { b: 1 } }, 1],
  ],
  "literals and texts": [
    ['`"a\\`b"`', null, "a`b"],
    ["` [1, 2] `", null, [1, 2]],
    ["`open`", null, "open"],
    ["'it\\'s \\'so\\''", null, "it's 'so'"],
    ["'a\\nb\\\\'", null, "a\\nb\\\\"],
    ["'`'", null, "`"],
  ],
  "indexes and slices": [
    ["[0]", [1, 2], 1],
    ["[-1]", [1, 2], 2],
    ["[2]", [1, 2], null],
    ["[0]", "text", null],
    ["[1:3]", [0, 1, 2, 3], [1, 2]],
    ["[::2]", [0, 1, 2, 3], [0, 2]],
    ["[::-1]", [0, 1, 2], [2, 1, 0]],
    ["[-2:]", [0, 1, 2], [1, 2]],
    ["[10:-10:-1]", [0, 1, 2], [2, 1, 0]],
    ["[5:1]", [0, 1, 2], []],
    ["[0:1][0]", [[1], [2]], [1]],
  ],
  projections: [
    ["[*].name", people, ["b", "a", "c"]],
    ["[*].tags[0]", people, ["x", "y"]],
    ["[*].tags | [0]", people, ["x"]],
    ["[].tags[]", people, ["x", "y", "z"]],
    ["*.a", { x: { a: 1 }, y: { b: 2 } }, [1]],
    ["[]", [[1, [2]], 3, null], [1, [2], 3]],
    ["[?age > `35`].name", people, ["a", "c"]],
    ["[?name >= 'b'].name", people, ["b", "c"]],
    ["[?tags].name | [0]", people, "b"],
    ["(a[*]).b", { a: [{ b: 1 }] }, null],
  ],
  "multiple selections": [
    ["[a, b]", { a: 1 }, [1, null]],
    ["{x: a, 'y': b}", { a: 1 }, REFUSED],
    ['{x: a, "y y": @.a}', { a: 1 }, { x: 1, "y y": 1 }],
    ["a.[b]", { a: null }, null],
    ["a.{b: b}", {}, null],
    ["[a,]", {}, REFUSED],
  ],
  conditions: [
    ["a || b || c", { a: [], b: {}, c: 1 }, 1],
    ["a && b", { a: 0, b: 2 }, 2],
    ["!a", { a: "" }, true],
    ["!a", { a: 0 }, false],
    ["a == b", { a: { x: [1, { y: 2 }], z: 1 }, b: { z: 1, x: [1, { y: 2 }] } }, true],
    ["a != b", { a: "1", b: 1 }, true],
    ["a < b", { a: "1", b: 2 }, null],
    ["a <= b", { a: 2, b: 2 }, true],
    ["a == `1` || b == `2` && c", { a: 0, b: 2, c: false }, false],
    ["a | b", { a: { b: 1 } }, 1],
  ],
  "functions of numbers": [
    ["abs(@)", -2, 2],
    ["ceil(@)", 1.2, 2],
    ["floor(@)", -1.2, -2],
    ["sum(@)", [], 0],
    ["sum(@)", [1, 2.5], 3.5],
    ["avg(@)", [], null],
    ["avg(@)", [1, 2], 1.5],
    ["avg(@)", [1, "2"], REFUSED],
    ["abs('2')", null, REFUSED],
  ],
  "functions of texts": [
    ["contains('foobar', 'oba')", null, true],
    ["contains('foobar', `1`)", null, false],
    ["contains('abababac', 'ababac')", null, true],
    ["contains('', '')", null, true],
    ['contains(@, `{"a": [1]}`)', [{ a: [1] }], true],
    ["contains(@, 'a')", { a: 1 }, REFUSED],
    ["starts_with('aXa', 'a')", null, true],
    ["ends_with('a', 'long a')", null, false],
    ["join(', ', @)", ["a", "b"], "a, b"],
    ["join(', ', @)", ["a", 1], REFUSED],
    ["length('😀')", null, 1],
    ["reverse('a😀')", null, "😀a"],
  ],
  "functions of lists and objects": [
    ["length(@)", { a: 1, b: 2 }, 2],
    ["length(@)", 1, REFUSED],
    ["keys(@)", { a: 1, b: 2 }, ["a", "b"]],
    ["values(@)", { a: 1, b: 2 }, [1, 2]],
    ["keys(@)", [1], REFUSED],
    ["map(&a, @)", [{ a: 1 }, {}], [1, null]],
    ['merge(@, `{"a": 2, "b": 3}`)', { a: 1 }, { a: 2, b: 3 }],
    ["not_null(a, b)", { b: 2 }, 2],
    ["not_null(a)", {}, null],
    ["reverse(@)", [1, 2], [2, 1]],
    ["sort(@)", [10, 9, 1], [1, 9, 10]],
    ["sort(@)", ["b", "B", "a"], ["B", "a", "b"]],
    ["sort(@)", [1, "a"], REFUSED],
    ["max(@)", [2, 10], 10],
    ["max(@)", [], null],
    ["min(@)", ["b", "a"], "a"],
    ["sort_by(@, &age)[].name", people, ["b", "c", "a"]],
    ["sort_by(@, &name)[].age", people, [50, 30, 40]],
    ["sort_by(@, &tags)", people, REFUSED],
    ["max_by(@, &name).name", people, "c"],
    ["min_by(@, &age).name", people, "b"],
    ["max_by(@, &age)", [], null],
    [
      "sort_by(@, &a)[].b",
      [
        { a: 1, b: 1 },
        { a: 0, b: 2 },
        { a: 1, b: 3 },
      ],
      [2, 1, 3],
    ],
  ],
  "functions of types": [
    ["to_array(@)", 1, [1]],
    ["to_array(@)", [1], [1]],
    [
      "to_string(@)",
      { a: [1, "x\n", null, { b: true }], c: {}, d: [] },
      '{"a":[1,"x\\n",null,{"b":true}],"c":{},"d":[]}',
    ],
    ["to_string('a')", null, "a"],
    ["to_number('1.5e1')", null, 15],
    ["to_number(' 1')", null, null],
    ["to_number('0x10')", null, null],
    ["to_number('1e999')", null, null],
    ["to_number(@)", [1], null],
    ["[*].type(@)", [1, "a", true, [], {}], ["number", "string", "boolean", "array", "object"]],
    ["type(@)", null, "null"],
  ],
};

for (const [title, cases] of Object.entries(CASES)) {
  describe(title, () => {
    for (const [expression, value, expected] of cases) {
      test(expression, () => {
        if (expected === REFUSED) assert.throws(() => select(expression, value));
        else assert.deepEqual(select(expression, value), expected);
      });
    }
  });
}
