import { pointerTo, type SchemaProblem, SchemaUnusable } from "../../core/index.ts";
import type { Resource } from "./document.ts";

const MAX_STEPS = 1_000_000;
const MAX_DEPTH = 800;
const MAX_PROBLEMS = 20;

/**
 * One validation under way. The first pass only decides; a second one, with `problems` set, collects
 * what is wrong. Steps and depth are counted, because a schema may be made to run for ever.
 */
export interface Run {
  steps: number;
  depth: number;
  problems: SchemaProblem[] | undefined;
  /** The schema resources that were entered, outermost first: what $dynamicRef looks at. */
  readonly scope: Resource[];
}

/** Which parts of the value at hand some subschema has looked at, for the unevaluated keywords. */
export interface Seen {
  allProperties: boolean;
  readonly properties: Set<string>;
  /** Items before this index. */
  items: number;
  readonly indexes: Set<number>;
}

/** Decides whether a value fits; says why not to `run.problems` where that is wanted. */
export type Check = (value: unknown, run: Run, path: string, seen: Seen | undefined) => boolean;

/** Makes the check of one keyword, or nothing if the schema does not have it. */
export type Rule = (schema: { readonly [keyword: string]: unknown }, sub: Subschema) => Check | undefined;

/** The check of a subschema, compiled when it is first needed. */
export type Subschema = (schema: unknown) => Check;

/** Starts a validation. */
export function startRun(problems: SchemaProblem[] | undefined): Run {
  return { steps: 0, depth: 0, problems, scope: [] };
}

/** Nothing looked at yet. */
export function nothingSeen(): Seen {
  return { allProperties: false, properties: new Set(), items: 0, indexes: new Set() };
}

/** Takes over what a subschema that fitted has looked at. */
export function mergeSeen(into: Seen | undefined, from: Seen | undefined): void {
  if (!into || !from) return;
  into.allProperties ||= from.allProperties;
  for (const name of from.properties) into.properties.add(name);
  into.items = Math.max(into.items, from.items);
  for (const index of from.indexes) into.indexes.add(index);
}

/** Counts work; every loop over data or schemas goes through here. */
export function spend(run: Run, steps: number): void {
  run.steps += steps;
  if (run.steps > MAX_STEPS) throw new SchemaUnusable(`checking takes more than ${MAX_STEPS} steps`);
}

/** Counts nesting on the way down. */
export function descend(run: Run): void {
  if (++run.depth > MAX_DEPTH) throw new SchemaUnusable(`checking goes more than ${MAX_DEPTH} levels deep`);
}

/** Notes a problem if problems are wanted. Always false, so that a rule can return it. */
export function report(run: Run, path: string, expected: string, actual: string): false {
  if (run.problems && run.problems.length < MAX_PROBLEMS) run.problems.push({ path, expected, actual });
  return false;
}

/** The path of a part; not built while nobody wants it. */
export function partPath(run: Run, path: string, key: string | number): string {
  return run.problems ? pointerTo(path, key) : path;
}

/** Runs a check on the side; its problems do not count. */
export function onTheSide(check: () => boolean, run: Run): { fits: boolean; problems: SchemaProblem[] } {
  const outer = run.problems;
  const problems: SchemaProblem[] = [];
  run.problems = outer && problems;
  try {
    return { fits: check(), problems };
  } finally {
    run.problems = outer;
  }
}
