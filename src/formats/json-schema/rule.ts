import type { UnknownRecord } from "../../core/index.ts";
import { type Run, spend } from "./run.ts";

/** Decides whether a value is valid; adds the reason to `run.failures` if it collects. */
export type Check = (value: unknown, run: Run, path: string, seen: Seen | undefined) => boolean;

/** Compiles the check of one keyword; undefined if its value is unusable. */
export type Rule = (schema: UnknownRecord, sub: Subschema) => Check | undefined;

/** The check of a subschema, compiled when it is first needed. */
export type Subschema = (schema: unknown) => Check;

/** The evaluated parts of the current value, for the unevaluated keywords. */
export interface Seen {
  allProperties: boolean;
  readonly properties: Set<string>;
  /** Items before this index. */
  items: number;
  readonly indexes: Set<number>;
}

/** Nothing looked at yet. */
export function nothingSeen(run: Run): Seen {
  spend(run, 6);
  return { allProperties: false, properties: new Set(), items: 0, indexes: new Set() };
}

/** Adds the evaluated parts of a matching subschema. */
export function mergeSeen(run: Run, into: Seen | undefined, from: Seen | undefined): void {
  if (!into || !from) return;
  spend(run, from.properties.size + from.indexes.size);
  into.allProperties ||= from.allProperties;
  for (const name of from.properties) into.properties.add(name);
  into.items = Math.max(into.items, from.items);
  for (const index of from.indexes) into.indexes.add(index);
}

/** Marks everything as evaluated, because a part that could not be followed may have evaluated it. */
export function markAllSeen(seen: Seen | undefined): void {
  if (!seen) return;
  seen.allProperties = true;
  seen.items = Number.POSITIVE_INFINITY;
}
