import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSelector } from "./selector.ts";

const { problemOf, select } = createSelector();

/** Far more than the budget takes and far less than a hang; processor time, so that a busy machine does not matter. */
const LIMIT_MS = 500;
const TOO_MANY = /^Error: it takes too many steps; narrow it: /;

/** Fails unless the expression is stopped, soon. */
function assertStopped(expression: string, value: unknown): void {
  assert.equal(problemOf(expression), undefined);
  const start = process.threadCpuUsage();
  assert.throws(() => select(expression, value), TOO_MANY, expression.slice(0, 60));
  const { user, system } = process.threadCpuUsage(start);
  assert.ok(user + system < LIMIT_MS * 1000, `${expression.slice(0, 60)} took ${(user + system) / 1000} ms`);
}

const times = (count: number, part: string, separator = " | ") => Array(count).fill(part).join(separator);
const nested = (levels: number, core: string, wrap: (inner: string) => string) =>
  Array.from({ length: levels }).reduce<string>(wrap, core);
const ones = (count: number) => `\`[${times(count, "1", ",")}]\``;
const doubled = (count: number) => times(count, "[@,@]");

describe("an expression is stopped when it takes too many steps", () => {
  test("nested map() over literals is stopped, with and without a growing result", () => {
    assertStopped(`length(${nested(4, "`0`", (inner) => `map(&${inner}, ${ones(180)})`)})`, {});
    assertStopped(
      nested(5, "`0`", (inner) => `length(map(&${inner}, ${ones(170)}))`),
      {},
    );
  });

  test("projections in projections are stopped", () => {
    assertStopped(
      nested(6, "`1`", (inner) => `${ones(100)}[*].[${inner}]`),
      {},
    );
    assertStopped(
      nested(6, "`1`", (inner) => `${ones(100)}[?${inner}]`),
      {},
    );
  });

  test("strings that double with each to_string are stopped", () => {
    assertStopped(
      nested(40, "v", (inner) => `to_string([${inner}])`),
      { v: ["\\"] },
    );
    assertStopped(`${times(40, "join('', [@,@])")}`, "text");
    assertStopped(`${doubled(40)} | to_string(@)`, {});
  });

  test("sorting a literal for every item is stopped", () => {
    const items = Array.from({ length: 20_000 }, () => ({}));
    assertStopped(`[].[sort(${ones(900)})]`, items);
    assertStopped(`map(&sort_by(${ones(900)}, &@), @)`, items);
    assertStopped(`map(&max_by(${ones(900)}, &@), @)`, items);
    assertStopped(`map(&sum(${ones(900)}), @)`, items);
    assertStopped(`map(&reverse(${ones(900)}), @)`, items);
    assertStopped(`map(&${ones(900)}[::-1], @)`, items);
  });

  test("comparing or flattening doubled values is stopped", () => {
    assertStopped(`{a: (${doubled(40)}), b: (${doubled(40)})} | a == b`, 1);
    assertStopped(`${doubled(40)} | ${times(40, "[]", "")}`, 1);
    assertStopped(times(40, "map(&[@,@][], @)"), [1]);
  });

  test("repeated hostile searches for a string in a string are stopped", () => {
    const half = "a".repeat(60_000);
    const texts = { text: "a".repeat(500_000), wanted: `${half}b${half}` };
    assert.equal(select("contains(text, wanted)", texts), false);
    assertStopped(`[${times(20, "contains(text, wanted)", ",")}]`, texts);
  });

  test("repeated checks whether a large object is empty are stopped", () => {
    const large = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, 1]));
    assertStopped(`[${times(300, "!@", ",")}]`, large);
    assertStopped(`[${times(200, "keys(@)", ",")}]`, large);
    assertStopped(`merge(${times(300, "@", ",")})`, large);
  });
});

test("an expression of any shape is parsed or refused at once", () => {
  for (const part of [
    "(",
    "[",
    "!",
    "{a:",
    "f(",
    "a.",
    "[?",
    "*",
    "&",
    "'",
    "`",
    '"',
    "\\",
    "-",
    "[0]",
    "a-",
  ]) {
    assert.doesNotThrow(() => problemOf(part.repeat(Math.floor(2_000 / part.length))), part);
  }
  assert.equal(select(`${"(".repeat(150)}@${")".repeat(150)}`, 1), 1);
  assert.equal(select(`@${".a".repeat(900)}`, 1), null);
});

test("doubling alone costs nothing until somebody looks at the result", () => {
  assert.equal((select(doubled(200), 1) as unknown[]).length, 2);
});

describe("an ordinary expression over a large output has steps enough", () => {
  const item = (id: number) => ({
    id,
    state: id % 3 === 0 ? "open" : "closed",
    title: `Title ${id}`,
    user: { login: `user${id % 100}` },
  });
  const items = (count: number) => ({ items: Array.from({ length: count }, (_, id) => item(id)) });

  test("an ordinary expression over one mebibyte has enough steps", () => {
    const value = items(14_000);
    assert.ok(JSON.stringify(value).length > 900_000);
    for (const expression of [
      "items[?state=='open'].{id: id, title: title, by: user.login}",
      "items[].title | sort(@) | [:20]",
      "sort_by(items, &title)[-10:].id",
      "items[?contains(title, '99')].id",
      "length(items[?user.login=='user7' && state!='closed'])",
      "max_by(items, &id).title",
      "join(', ', items[].title)",
    ]) {
      assert.doesNotThrow(() => select(expression, value), expression);
    }
  });

  test("an ordinary expression over eight mebibytes has enough steps: the budget grows with the output", () => {
    const value = items(115_000);
    assert.ok(JSON.stringify(value).length > 7_500_000);
    for (const expression of [
      "sort_by(items, &title)[?state=='open'].{id: id, title: title, by: user.login} | [:50]",
      "length(items[?user.login=='user7' && state!='closed'])",
    ]) {
      assert.doesNotThrow(() => select(expression, value), expression);
    }
  });
});
