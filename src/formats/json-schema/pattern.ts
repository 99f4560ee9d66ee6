import { RE2JS } from "re2js";
import { type Run, spend } from "./run.ts";

const MAX_LENGTH = 5_000;
const MAX_SIZE = 20_000;
/** Letters with a meaning after a backslash: those of ECMAScript, and \A and \z of other dialects. */
const KNOWN_ESCAPES = /^(?:[^\\]|\\[^A-Za-z]|\\[AbBcdDfnpPrsStuvwWxz])*$/s;
const TOKENS = /\{(\d+),?(\d*)\}|\\[pP]|\\?./gs;

/** Tests whether a pattern matches a string; undefined if the engine cannot tell. */
type PatternTest = (text: string, run: Run) => boolean | undefined;

/**
 * Checks a `pattern` with an engine whose time is linear in the text, so that no pattern can hang the
 * process. Patterns that the engine cannot express (look-ahead, back-references) are ignored.
 */
export function patternTest(source: string): PatternTest {
  return (text, run) => {
    // Many schemas share few patterns, and an engine is larger than all else that a schema compiles to.
    const engine = run.patterns.get(source, () => compile(source, run) ?? "none");
    if (engine === "none") {
      run.passedOver++;
      return undefined;
    }
    const size = engine.programSize();
    // At worst every instruction is tried at every character; a small program never comes to that.
    spend(run, text.length * (size <= 12 ? 0.5 : size / 6));
    return engine.test(text);
  };
}

function compile(source: string, run: Run): RE2JS | undefined {
  if (source.length > MAX_LENGTH || !KNOWN_ESCAPES.test(source)) return undefined;
  const size = sizeOf(source);
  if (size > MAX_SIZE) return undefined;
  spend(run, 1_000 + 20 * size);
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    // A full stack says nothing about the pattern.
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

/** Estimate of the compiled size of a pattern; a repeat count means that many copies. */
function sizeOf(source: string): number {
  const groups: number[] = [];
  let size = 0;
  let last = 0;
  for (const [token, least, most] of source.matchAll(TOKENS)) {
    if (token === "(") {
      groups.push(size);
      size = 0;
    } else if (token === ")") {
      last = size;
      size += groups.pop() ?? 0;
    } else if (least) {
      const copies = Number(most || least);
      size += last * (copies - 1);
      last *= copies;
    } else {
      // A Unicode category is a list of hundreds of ranges.
      last = /^\\p/i.test(token) ? 50 : 1;
      size += last;
    }
  }
  return groups.reduce((total, outer) => total + outer, size);
}
