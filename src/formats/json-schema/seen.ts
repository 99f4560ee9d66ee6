import { type Run, spend } from "./run.ts";

/** Which parts of the value at hand some subschema has looked at, for the unevaluated keywords. */
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

/** Takes over what a subschema that fitted has looked at. */
export function mergeSeen(run: Run, into: Seen | undefined, from: Seen | undefined): void {
  if (!into || !from) return;
  spend(run, from.properties.size + from.indexes.size);
  into.allProperties ||= from.allProperties;
  for (const name of from.properties) into.properties.add(name);
  into.items = Math.max(into.items, from.items);
  for (const index of from.indexes) into.indexes.add(index);
}

/** Counts everything as looked at: what cannot be followed may have done so. */
export function markAllSeen(seen: Seen | undefined): void {
  if (!seen) return;
  seen.allProperties = true;
  seen.items = Number.POSITIVE_INFINITY;
}
