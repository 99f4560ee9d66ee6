import { compilePattern } from "./pattern.ts";
import { type Rule, report, spend } from "./run.ts";

function lengthRule(limit: unknown, expected: string, fits: (length: number, limit: number) => boolean) {
  if (typeof limit !== "number") return undefined;
  return ((value, run, path) => {
    if (typeof value !== "string") return true;
    const length = countCharacters(value);
    return fits(length, limit) || report(run, path, `${expected} ${limit} characters`, `${length}`);
  }) satisfies ReturnType<Rule>;
}

const minLength: Rule = ({ minLength: limit }) =>
  lengthRule(limit, "at least", (length, least) => length >= least);

const maxLength: Rule = ({ maxLength: limit }) =>
  lengthRule(limit, "at most", (length, most) => length <= most);

const pattern: Rule = ({ pattern: source }) => {
  if (typeof source !== "string") return undefined;
  const test = compilePattern(source);
  // What cannot be checked safely is left to whoever wrote the schema.
  if (!test) return undefined;
  return (value, run, path) => {
    if (typeof value !== "string") return true;
    spend(run, value.length);
    return (
      test(value) ||
      report(run, path, `a text that matches ${source.slice(0, 100)}`, JSON.stringify(value.slice(0, 40)))
    );
  };
};

/** JSON Schema counts code points, not UTF-16 units. */
function countCharacters(text: string): number {
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

/** Rules for strings. */
export const STRING_RULES: readonly Rule[] = [minLength, maxLength, pattern];
