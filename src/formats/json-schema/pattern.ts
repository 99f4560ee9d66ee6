import { RE2JS } from "re2js";

/** Tells whether a pattern occurs in a text. */
export type PatternTest = (text: string) => boolean;

/**
 * Compiles a `pattern` to an engine whose time is linear in the text, so that no pattern can hang the
 * process. Undefined where that engine cannot express it (look-around, back-references).
 */
export function compilePattern(pattern: string): PatternTest | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}
