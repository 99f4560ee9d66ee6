import { RE2JS } from "re2js";
import { type Run, spend } from "./run.ts";

const MAX_LENGTH = 5_000;
/** Compiling takes this many times as long as a step, for each character of the pattern. */
const STEPS_PER_CHARACTER = 10;
const MAX_EXPANDED = 300_000;
/** The letters that both ECMAScript and the engine give a meaning to after a backslash, and \A and \z. */
const KNOWN_ESCAPES = /^(?:[^\\]|\\[^A-Za-z]|\\[AbBcdDfnpPrsStuvwWxz])*$/s;

/** Tells whether a pattern occurs in a text; undefined where that cannot be told. */
export type PatternTest = (text: string, run: Run) => boolean | undefined;

/**
 * Checks a `pattern` with an engine whose time is linear in the text, so that no pattern can hang the
 * process. What that engine cannot express (look-around, back-references) is passed over.
 */
export function patternTest(source: string): PatternTest {
  let engine: RE2JS | "none" | undefined;
  return (text, run) => {
    if (!engine) {
      spend(run, (source.length + 20) * STEPS_PER_CHARACTER);
      engine = compile(source) ?? "none";
    }
    if (engine === "none") {
      run.passedOver++;
      return undefined;
    }
    // At worst every instruction is tried at every character; the usual case is far cheaper.
    spend(run, (text.length * (engine.programSize() + 2)) / 16);
    return engine.test(text);
  };
}

function compile(source: string): RE2JS | undefined {
  if (source.length > MAX_LENGTH || expandedLength(source) > MAX_EXPANDED) return undefined;
  if (!KNOWN_ESCAPES.test(source)) return undefined;
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    // A full stack says nothing about the pattern.
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

/** A repeat count is compiled as so many copies; the engine allows a thousand at most, nested ones included. */
function expandedLength(source: string): number {
  const counts = source.matchAll(/(\d+)\}/g).map(([, count]) => Math.max(1, Number(count)));
  return source.length * Math.min(1_000, counts.reduce((product, count) => product * count, 1));
}
