import { patternTest } from "./pattern.ts";
import type { Check, Rule } from "./rule.ts";
import { type Run, report, spend } from "./run.ts";

function lengthRule(limit: unknown, words: string, fits: (length: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  const expected = () => `${words} ${limit} characters`;
  return ((value, run, path) => {
    if (typeof value !== "string") return true;
    return fits(lengthFor(value, limit, run), limit) || report(run, { path, value, expected });
  }) satisfies Check;
}

/** A length on the same side of the limit as the real one; characters are counted only if needed. */
function lengthFor(value: string, limit: number, run: Run): number {
  // A character takes one or two units.
  if (value.length <= limit) return value.length === limit ? countCharacters(value, run) : value.length;
  return value.length > 2 * limit ? value.length / 2 : countCharacters(value, run);
}

const minLength: Rule = ({ minLength: limit }) =>
  lengthRule(limit, "at least", (length, least) => length >= least);

const maxLength: Rule = ({ maxLength: limit }) =>
  lengthRule(limit, "at most", (length, most) => length <= most);

const pattern: Rule = ({ pattern: source }) => {
  if (typeof source !== "string") return undefined;
  const test = patternTest(source);
  const expected = () => `a text that matches ${source.slice(0, 100)}`;
  return (value, run, path) =>
    // A pattern that cannot be checked safely is not checked.
    typeof value !== "string" || (test(value, run) ?? true) || report(run, { path, value, expected });
};

/** JSON Schema counts code points, not UTF-16 units. */
function countCharacters(text: string, run: Run): number {
  spend(run, text.length / 8);
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) count--;
  }
  return count;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Rules for strings, by the keyword that asks for them. */
export const STRING_RULES: Readonly<Record<string, Rule>> = { minLength, maxLength, pattern };
