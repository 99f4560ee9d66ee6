import assert from "node:assert/strict";
import { describe, test } from "node:test";
import jmespath from "jmespath";
import { createSelector } from "./jmespath.ts";

const { problemOf, select } = createSelector();

const ISSUES = {
  total: 2,
  items: [
    { id: 1, title: "Crash", user: { login: "ada" }, labels: [{ name: "bug" }] },
    { id: 2, title: "Typo", user: { login: "bob" }, labels: [] },
  ],
};

test("an expression takes out what it names", () => {
  const cases: Readonly<Record<string, unknown>> = {
    total: 2,
    "items[].id": [1, 2],
    "items[?labels[?name=='bug']].{id: id, by: user.login}": [{ id: 1, by: "ada" }],
    "length(items)": 2,
    "sort_by(items, &title)[-1].id": 2,
    missing: null,
    "items[7]": null,
    "@": ISSUES,
  };
  for (const [expression, expected] of Object.entries(cases)) {
    assert.equal(problemOf(expression), undefined);
    assert.deepEqual(select(expression, ISSUES), expected);
  }
});

describe("what is wrong with an expression is found before it runs", () => {
  const cases: Readonly<Record<string, [expression: string, problem: string]>> = {
    "it is empty": ["", "it ends too early"],
    "it ends too early": ["items[?id", "it ends too early"],
    "a dot has nothing behind it": ["items[].", "a name is missing after a dot"],
    "there is one = too few": [
      "items[?id=`1`]",
      "it cannot be parsed; compare with ==, and write literals as 'text' or `1`",
    ],
    "a name needs quotes": ["first-name", 'a name with a hyphen needs double quotes: "first-name"'],
    "a character means nothing": ["$.items", "Unknown character:$"],
    "there is something behind its end": [
      "total items",
      "Unexpected token type: UnquotedIdentifier, value: items",
    ],
    "a function is mistyped": ["lenght(items)", "there is no function lenght(); did you mean length()?"],
    "a function is inherited, but no function of JMESPath": [
      "toString(@)",
      "there is no function toString(); did you mean to_string()?",
    ],
    "a function lacks an argument": ["items | [].join(@)", "join() takes 2 arguments, not 1"],
    "a function has too many": ["length(items, total)", "length() takes 1 argument, not 2"],
    "a function needs one at least": ["merge()", "merge() takes at least 1 argument, not 0"],
    "it is too long": ["a".repeat(2_001), "it is longer than 2000 characters"],
  };
  for (const [title, [expression, problem]] of Object.entries(cases)) {
    test(title, () => {
      assert.equal(problemOf(expression), problem);
      assert.throws(() => select(expression, ISSUES), new Error(problem));
    });
  }
});

test("an unknown function is answered with those that there are, and all of them exist", () => {
  const [, list = ""] = problemOf("frobnicate(@)")?.split("; there are ") ?? [];
  const names = list.split(", ");
  assert.equal(names.length, 26);
  for (const name of names) {
    const calls = [`${name}(@)`, `${name}(@, @)`].filter((call) => problemOf(call) === undefined);
    assert.ok(calls.length > 0, name);
    for (const call of calls) assert.doesNotMatch(outcome(call), /Unknown function|takes/);
  }
});

test("a function that meets the wrong type says so in words for the caller", () => {
  const cases: Readonly<Record<string, string>> = {
    "length(total)":
      "length() expected argument 1 to be type string,array,object but received type number instead",
    "sum(items)": "sum() expected argument 1 to be type Array<number> but received type array instead",
    "sort_by(items, &user)": "sort_by() needs keys that are all texts or all numbers",
    "items[::0]": "Invalid slice, step cannot be 0",
  };
  for (const [expression, message] of Object.entries(cases)) {
    assert.equal(problemOf(expression), undefined);
    assert.throws(() => select(expression, ISSUES), new Error(message));
  }
});

test("what every object inherits is no data", () => {
  const cases: readonly [expression: string, expected: unknown][] = [
    ["constructor", null],
    ["__proto__", null],
    ["__proto__.toString", null],
    ["items[].constructor", [null, null]],
    ["items[].{id: id, made: constructor} | [0]", { id: 1, made: null }],
    ["[[[valueOf]]]", [[[null]]]],
    ["{a: {b: {c: hasOwnProperty}}}", { a: { b: { c: null } } }],
    ["to_string(constructor)", null],
    ["{a: total}.__proto__", null],
  ];
  for (const [expression, expected] of cases) {
    assert.deepEqual(select(expression, ISSUES), expected, expression);
  }
  assert.equal(select("constructor", { constructor: "Ferrari" }), "Ferrari");
  assert.deepEqual(select("[__proto__]", JSON.parse('{"__proto__": {"a": 1}}')), [{ a: 1 }]);
});

test("what is written into a selection does not reach other objects", () => {
  select('{"__proto__": @}', { polluted: true });
  select('merge(@, `{"__proto__": {"polluted": true}}`)', JSON.parse('{"__proto__": {"polluted": true}}'));
  assert.equal("polluted" in {}, false);
});

describe("an expression cannot hang the process", () => {
  const times = (count: number, part: string, separator = " | ") => Array(count).fill(part).join(separator);
  const doubled = (count: number) => times(count, "[@,@]");

  test("by its length or its nesting", () => {
    for (const expression of [
      "(".repeat(1_999),
      "[".repeat(1_999),
      "!".repeat(1_999),
      `@${"[0]".repeat(600)}`,
    ]) {
      assert.doesNotThrow(() => problemOf(expression));
    }
    assert.equal(select(`${"(".repeat(900)}@${")".repeat(900)}`, 1), 1);
  });

  test("by repeating its input: that is refused before anything runs", () => {
    const expressions = [
      doubled(100),
      `${doubled(40)} | ${times(40, "[*]", "")}`,
      `{a: (${doubled(40)}), b: (${doubled(40)})} | a == b`,
      times(100, "join('', [@,@])"),
      `${doubled(60)} | to_string(@)`,
      times(40, "map(&[@,@][], @)"),
      times(30, "{a: @, b: @}.[a, b]"),
    ];
    for (const expression of expressions) {
      assert.equal(problemOf(expression), "it repeats its input too often; leave out lists such as [@, @]");
    }
  });

  test("by repeating a large output: that is refused when the size is known", () => {
    const large = Array.from({ length: 100_000 }, (_, id) => ({ id, tags: ["a", "b"] }));
    assert.equal(problemOf(doubled(9)), undefined);
    assert.throws(() => select(doubled(9), large), /^Error: it repeats too much of an output of this size/);
    assert.throws(() => select(doubled(9), "x".repeat(1_000_000)), /^Error: it repeats too much/);
    assert.deepEqual(select("[?id > `99998`].{id: id, tag: tags[0]} | [0]", large), { id: 99_999, tag: "a" });
  });

  test("by asking for many different fields: these are no repetition", () => {
    const fields = Array.from({ length: 60 }, (_, index) => `f${index}: a${index}.b.c[].d`).join(", ");
    assert.equal(problemOf(`items[].{${fields}} | [?f1] | sort_by(@, &f2) | [0:10]`), undefined);
  });
});

/** The message of what the package itself makes of an expression. */
function outcome(expression: string): string {
  try {
    return String(jmespath.search(null, expression));
  } catch (error) {
    return String(error);
  }
}
