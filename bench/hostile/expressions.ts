import { problemOfJsonText } from "../../src/core/index.ts";
import { createSelector } from "../../src/formats/index.ts";
import type { HostileKind } from "./kind.ts";
import { type Random, randomOf } from "./random.ts";

const MOST_CHARACTERS = 2_000;
const selector = createSelector();

/** Select expressions that multiply: every function and projection in every other, over literals and over what an upstream made. */
export const expressions: HostileKind = {
  name: "expressions",
  cases: 1_500,
  generate(seed) {
    const random = randomOf(seed);
    const expression = random.below(3) === 0 ? wearingOf(random) : expressionOf(random);
    const { name, value, bytes } = random.pick(MEASURED);
    return {
      title: `${expression.length > 200 ? `${expression.slice(0, 200)}…` : expression} over ${name}`,
      bytes: expression.length + bytes,
      run: () => {
        try {
          selector.select(expression, value);
          return "answered";
        } catch {
          return "refused";
        }
      },
    };
  },
};

/** About as large as an answer may be without the budget growing: 1 MiB. */
const VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ["numbers", numbers(150_000).map((at) => (at * 7_919) % 150_001)],
  ["texts", numbers(50_000).map((at) => `text ${(at * 7_919) % 50_021}`)],
  ["objects", numbers(20_000).map((at) => ({ a: at, b: `name ${at}`, c: [at], d: { e: at } }))],
  ["lists", numbers(200).map(() => numbers(1_000))],
  ["one large object", Object.fromEntries(numbers(10_000).map((at) => [`key ${at}`, "x".repeat(80)]))],
  ["large objects", numbers(60).map(() => Object.fromEntries(numbers(1_000).map((at) => [`key ${at}`, at])))],
  ["a long text", "a".repeat(1_000_000)],
  ["two texts for each other", ["a".repeat(700_000), `${"a".repeat(150_000)}b${"a".repeat(150_000)}`]],
  ["halves of characters", ["\ud800".repeat(300_000)]],
  ["control characters", ["\u0001".repeat(150_000), { a: "\\".repeat(200_000) }]],
  ["zeros", numbers(500_000).map(() => 0)],
  ["empty texts", numbers(300_000).map(() => "")],
  ["empty lists", numbers(149_000).map(() => [])],
  ["equal prefixes", numbers(100).map((at) => `${"x".repeat(10_000)}${at % 10}`)],
  ["deep nesting", JSON.parse(`${"[".repeat(400)}1${"]".repeat(400)}`)],
  ["nothing", null],
];

const MEASURED = VALUES.map(([name, given]) => {
  // As it comes from a wire, which lets no other through.
  const text = JSON.stringify(given);
  const problem = problemOfJsonText(text, 1_000);
  if (problem) throw new Error(`The value "${name}" ${problem.says}: it would never get here.`);
  return { name, value: JSON.parse(text) as unknown, bytes: text.length };
});

/** Parts that fit many values, so that they are not refused before they take long. */
const WEARING = [
  ..."length keys values reverse sort sum avg max min to_string to_array to_number type not_null"
    .split(" ")
    .map((name) => `${name}(@)`),
  "map(&[@], @)",
  "map(&{a: @}, @)",
  "map(&to_string(@), @)",
  "map(&length(@), @)",
  "map(&(@ == @), @)",
  "map(&(a && b && c), @)",
  "map(&join('', [to_string(@), to_string(@)]), @)",
  "map(&sort(@), @)",
  "map(&values(@), @)",
  "sort_by(@, &@)",
  "sort_by(@, &b)",
  "max_by(@, &a)",
  "join('text', @)",
  "contains(@, 'aaaaaaab')",
  "merge(@, @)",
  "[]",
  "[].[@]",
  "[::-1]",
  "[?@]",
  "[?a > `1`].b",
  "[*].{a: a, b: b, c: c[0], d: d.e}",
  "*",
];

/** One part again and again, each time over the whole value. */
function wearingOf(random: Random): string {
  return `[${Array(20).fill("@").join()}] | map(&(@ | ${random.pick(WEARING)}), @)`;
}

/** Wraps an expression again and again until it is as long as it may be. */
function expressionOf(random: Random): string {
  let expression = leaf(random);
  const most = random.pick([60, 300, 1_000, MOST_CHARACTERS]);
  for (let tries = 0; tries < 60; tries++) {
    const wrapped = random.pick(WRAPPERS)(expression, random);
    if (wrapped.length <= most) expression = wrapped;
  }
  return expression;
}

function leaf(random: Random): string {
  return random.pick([() => "@", () => "a", () => "[0]", () => "b", () => listOf(random)])();
}

function listOf({ below, pick }: Random): string {
  const items = pick([`1`, `"ab"`, `[1]`, `{"a":1}`, "1.5", `"\\\\"`]);
  return `\`[${Array(1 + below(pick([4, 40, 300])))
    .fill(items)
    .join(",")}]\``;
}

type Wrapper = (inner: string, random: Random) => string;

const calls = (names: string, write: (name: string) => Wrapper): readonly Wrapper[] =>
  names.split(" ").map(write);

const WRAPPERS: readonly Wrapper[] = [
  ...calls(
    "length keys values reverse sort sum avg max min to_string to_array to_number type abs not_null",
    (name) => (inner) => `${name}(${inner})`,
  ),
  ...calls("sort_by max_by min_by", (name) => (inner, random) => `${name}(${listOf(random)}, &${inner})`),
  ...calls("sort_by max_by min_by", (name) => (inner) => `${name}(${inner}, &@)`),
  ...calls("sort sum reverse to_string length", (name) => (inner) => `map(&${name}(${inner}), @)`),
  (inner, random) => `map(&${inner}, ${listOf(random)})`,
  (inner, random) => `map(&${inner}, ${listOf(random)})`,
  (inner) => `map(&${inner}, @)`,
  (inner) => `map(&@, ${inner})`,
  (inner) => `[].[${inner}]`,
  (inner) => `[*].{a: ${inner}, b: @}`,
  (inner) => `[?${inner}]`,
  (inner) => `${inner}[?@ == [0]]`,
  (inner) => `${inner} | [@,@]`,
  (inner) => `${inner} | [@,@]`,
  (inner) => `${inner} | [@,@][]`,
  (inner) => `${inner} | to_string([@,@])`,
  (inner) => `${inner} | {a: @, b: @}`,
  (inner) => `${inner} | *`,
  (inner) => `${inner} | []`,
  (inner) => `${inner} | [::-1]`,
  (inner) => `${inner} | [?@ < [0]]`,
  (inner) => `${inner} == @`,
  (inner) => `!(${inner})`,
  (inner) => `join('', [to_string(${inner}), to_string(@)])`,
  (inner) => `join('text', ${inner})`,
  (inner) => `contains(@, ${inner})`,
  (inner) => `contains([0], [1]) || ${inner}`,
  (inner) => `contains(to_string(@), to_string(${inner}))`,
  (inner) => `starts_with([0], ${inner})`,
  (inner) => `merge(@, ${inner})`,
  (inner) => `map(&merge(@, @, @, @), ${inner})`,
  (inner) => `(${inner} || ${inner})`,
  (inner) => `[${inner}, ${inner}]`,
];

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
