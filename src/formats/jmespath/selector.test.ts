import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSelector } from "./selector.ts";

const { problemOf, select } = createSelector();

const ISSUES = {
  total: 2,
  items: [
    { id: 1, title: "Crash", user: { login: "ada" }, labels: [{ name: "bug" }] },
    { id: 2, title: "Typo", user: { login: "bob" }, labels: [] },
  ],
};

test("a JMESPath expression selects the named values", () => {
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

describe("errors of a JMESPath expression are found before it runs, with their position", () => {
  const cases: Readonly<Record<string, [expression: string, problem: string]>> = {
    "it is empty": ["", "it ends too early"],
    "it ends too early": ["items[?id", "it ends too early: ] is missing"],
    "a dot has nothing behind it": ["items[].", "a name is missing after the dot, at character 9"],
    "there is one = too few": ["items[?id=`1`]", "compare with == instead of = at character 10"],
    "a name needs quotes": ["first-name", 'a name with a hyphen needs double quotes: "first-name"'],
    "a name with a number needs quotes": ["a.x-1", 'a name with a hyphen needs double quotes: "x-1"'],
    "a text is not closed": ["items[?a=='b]", "the text that starts at character 11 has no closing '"],
    "a literal is not JSON": [
      "items[?a==`{b}`]",
      "what is quoted at character 11 is not valid JSON; write a text as 'text'",
    ],
    "a literal is too large for a number": [
      "`1e999`",
      "what is quoted at character 1 is not valid JSON; write a text as 'text'",
    ],
    "a character means nothing": [
      "$.items",
      '"$" at character 1 has no meaning in JMESPath; @ is the whole output, and other names need double quotes',
    ],
    "there is something behind its end": [
      "total items",
      "items at character 7 is not expected there; join parts with a dot, and steps with |",
    ],
    "a number is not an expression": [
      "items[?id == 1]",
      "1 at character 14 is not expected there; write numbers as `1`",
    ],
    "a comma is missing": [
      "[total items]",
      "items at character 8 is not expected there; ] is missing before it",
    ],
    "there is nothing to select": ["items.[]", "a name is missing after the dot, at character 7"],
    "a reference is not an argument": [
      "&total",
      "& at character 1 is not expected there; &expression is an argument of functions such as sort_by(items, &name)",
    ],
    "a slice goes nowhere": ["items[::0]", "the step of a slice cannot be 0"],
    "a function is mistyped": ["lenght(items)", "there is no function lenght(); did you mean length()?"],
    "a function is inherited, but no function of JMESPath": [
      "toString(@)",
      "there is no function toString(); did you mean to_string()?",
    ],
    "a function is quoted": ['"length"(items)', 'the name of a function has no quotes: "length"'],
    "a function lacks an argument": ["items | [].join(@)", "join() takes 2 arguments, not 1"],
    "a function has too many": ["length(items, total)", "length() takes 1 argument, not 2"],
    "a function needs one at least": ["merge()", "merge() takes at least 1 argument, not 0"],
    "a function needs a reference": [
      "sort_by(items, title)",
      "sort_by() takes an expression such as &name as argument 2",
    ],
    "a function needs no reference": ["length(&items)", "length() takes a string or an array or an object"],
    "it is too long": ["a".repeat(2_001), "it is longer than 2000 characters"],
    "it is nested too deeply": ["(".repeat(500), "it is nested more than 200 levels deep"],
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
    const calls = [`${name}(@)`, `${name}(@, @)`, `${name}(@, &a)`, `${name}(&a, @)`];
    assert.equal(calls.filter((call) => problemOf(call) === undefined).length > 0, true, name);
  }
});

test("a function that meets the wrong type says so in words for the caller", () => {
  const cases: Readonly<Record<string, string>> = {
    "length(total)": "length() takes a string or an array or an object, not a number",
    "sum(items)": "sum() takes an array of numbers, not an array of other things",
    "join(', ', total)": "join() takes an array of strings as argument 2, not a number",
    "sort_by(items, &user)": "sort_by() needs keys that are all texts or all numbers",
    "max_by(items, &user)": "max_by() needs keys that are all texts or all numbers",
  };
  for (const [expression, message] of Object.entries(cases)) {
    assert.equal(problemOf(expression), undefined);
    assert.throws(() => select(expression, ISSUES), new Error(message));
  }
});

test("inherited properties are not data for JMESPath", () => {
  const cases: readonly [expression: string, expected: unknown][] = [
    ["constructor", null],
    ["__proto__", null],
    ["__proto__.toString", null],
    ["items[].constructor", []],
    ["items[].{id: id, made: constructor} | [0]", { id: 1, made: null }],
    ["[[[valueOf]]]", [[[null]]]],
    ["{a: {b: {c: hasOwnProperty}}}", { a: { b: { c: null } } }],
    ["type(constructor)", "null"],
    ["{a: total}.__proto__", null],
  ];
  for (const [expression, expected] of cases) {
    assert.deepEqual(select(expression, ISSUES), expected, expression);
  }
  assert.equal(select("constructor", { constructor: "Ferrari" }), "Ferrari");
  assert.deepEqual(select("[__proto__]", JSON.parse('{"__proto__": {"a": 1}}')), [{ a: 1 }]);
});

test("a change to a selected value does not reach other objects", () => {
  const hash = select('{"__proto__": @}', { polluted: true });
  assert.deepEqual(Object.keys(hash as object), ["__proto__"]);
  select('merge(@, `{"__proto__": {"polluted": true}}`)', JSON.parse('{"__proto__": {"polluted": true}}'));
  assert.equal("polluted" in {}, false);
});

test("a change to a result does not change later results of the expression", () => {
  const list = select("`[1, [2]]`", null) as unknown[][];
  assert.throws(() => list[1]?.push(3), TypeError);
  assert.deepEqual(select("`[1, [2]]`", null), [1, [2]]);
});
