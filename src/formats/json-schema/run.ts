import type { RE2JS } from "re2js";
import type { RecentMap } from "../../core/index.ts";
import { pointerTo, SchemaUnusable, type UnknownRecord, ValueTooComplex } from "../../core/index.ts";
import { Budget } from "../budget.ts";
import type { SchemaResource } from "./document.ts";

/** For both passes together, some 20 ms of processor time; see decision 052. */
const MAX_STEPS = 400_000;

const MAX_DEPTH = 800;
const MAX_FAILURES = 20;

const NO_FAILURES: Misfit[] = [];

/** Compiled patterns by their source; `none` if the engine cannot express it. */
export type PatternCache = RecentMap<string, RE2JS | "none">;

/**
 * One validation under way. The first pass only decides; a second one, with `failures` set, collects
 * the failures. Steps and depth are counted, because a hostile schema may run for ever.
 */
export interface Run {
  readonly budget: Budget;
  depth: number;
  /** Count of unchecked keywords that passed: `not` and `oneOf` must not refuse because of them. */
  passedOver: number;
  failures: Misfit[] | undefined;
  /** The entered schema resources, outermost first, for $dynamicRef. */
  readonly scope: SchemaResource[];
  /** Compiled patterns by their text, shared by all schemas of a validator. */
  readonly patterns: PatternCache;
}

/** A failure at one path. Its text is created only if shown. */
export interface Misfit {
  readonly path: string;
  readonly value: unknown;
  readonly expected: () => string;
  /** The allowed values, if the schema lists them. */
  readonly choices?: readonly unknown[];
}

/** Starts a validation: the first pass. */
export function startRun(value: unknown, patterns: PatternCache): Run {
  const budget = new Budget({ value, steps: MAX_STEPS, exceeded: tooComplex });
  return { budget, depth: 0, passedOver: 0, failures: undefined, scope: [], patterns };
}

/** The second pass of a validation, with the remaining steps of the first. */
export function startExplaining(run: Run, failures: Misfit[]): Run {
  return { ...run, depth: 0, passedOver: 0, failures, scope: [] };
}

/** Counts work; every loop over data or schemas goes through here. */
export function spend(run: Run, steps: number): void {
  run.budget.spend(steps);
}

/** Counts nesting on the way down. */
export function descend(run: Run): void {
  if (++run.depth > MAX_DEPTH) throw new SchemaUnusable(`checking goes more than ${MAX_DEPTH} levels deep`);
}

/** The names of a record's properties; listing them is work, even if only one is looked at. */
export function keysOf(value: UnknownRecord, run: Run): readonly string[] {
  return run.budget.keysOf(value);
}

/** Notes a failure if failures are wanted. Always false, so that a rule can return it. */
export function report(run: Run, failure: Misfit): false {
  if (wantsMore(run)) run.failures?.push(failure);
  return false;
}

/** True if all parts are valid; continues after an invalid one only while collecting failures. */
export function allFit<Part>(
  run: Run,
  parts: readonly Part[],
  fits: (part: Part, index: number) => boolean,
): boolean {
  let all = true;
  for (let index = 0; index < parts.length; index++) {
    if (fits(parts[index] as Part, index)) continue;
    all = false;
    if (!wantsMore(run)) break;
  }
  return all;
}

/** The path of a part; built only while collecting failures. */
export function partPath(run: Run, path: string, key: string | number): string {
  if (!run.failures) return path;
  spend(run, 4 + path.length / 16);
  return pointerTo(path, key);
}

/** Runs a check on the side: its failures do not count. It is `sure` unless something was passed over. */
export function onTheSide(
  run: Run,
  check: () => boolean,
): { fits: boolean; sure: boolean; failures: Misfit[] } {
  spend(run, 6);
  const { failures: outer, passedOver } = run;
  // While nothing is collected there is nothing to make room for.
  const failures = outer ? [] : NO_FAILURES;
  run.failures = outer && failures;
  const fits = check();
  run.failures = outer;
  // A value that does not fit does so for something that was checked.
  if (!fits) run.passedOver = passedOver;
  return { fits, sure: run.passedOver === passedOver, failures };
}

/** True while failures are collected and there is room for one more. */
export function wantsMore({ failures }: Run): boolean {
  return failures !== undefined && failures.length < MAX_FAILURES;
}

function tooComplex(): Error {
  return new ValueTooComplex(`checking takes more than ${MAX_STEPS} steps for each MiB of the value`);
}
