import type { Log, Registration, SourceSet } from "../../core/index.ts";
import type { Pins } from "./lock-file.ts";
import { type Pin, pinOf } from "./pin.ts";

/** What happens to a definition that was not accepted: nothing, a warning, or it is withheld. */
export type LockMode = "off" | "warn" | "enforce";

/** How what a source offers differs from what was accepted. */
export interface Difference {
  readonly source: string;
  readonly operation: string;
  /** What was accepted; undefined for what is new. */
  readonly before: Pin | undefined;
  /** What is offered; undefined for what is gone. */
  readonly after: Pin | undefined;
}

/** What is offered, after the lock has looked at it. */
export interface Screened {
  readonly set: SourceSet;
  /** What was not accepted. It is in the set all the same where the lock only warns. */
  readonly differences: readonly Difference[];
}

/** Lets through what was accepted. */
export function screen(set: SourceSet, pins: Pins | undefined, mode: LockMode): Screened {
  if (mode === "off") return { set, differences: [] };
  const accepted = pins?.get(set.source.name);
  const differences: Difference[] = [];
  const kept: Registration[] = [];
  for (const registration of set.registrations) {
    const { name } = registration.spec;
    const before = accepted?.get(name);
    const after = pinOf(registration.spec);
    const isAccepted = before?.digest === after.digest;
    if (!isAccepted) differences.push({ source: set.source.name, operation: name, before, after });
    if (isAccepted || mode === "warn") kept.push(registration);
  }
  return { set: differences.length === 0 ? set : { ...set, registrations: kept }, differences };
}

/** Everything in which what is offered now differs from a lock, also what is gone. */
export function compare(sets: readonly SourceSet[], pins: Pins): readonly Difference[] {
  return sets.flatMap((set) => {
    const offered = new Set(set.registrations.map(({ spec }) => spec.name));
    const gone = [...(pins.get(set.source.name) ?? [])]
      .filter(([operation]) => !offered.has(operation))
      .map(([operation, before]) => ({ source: set.source.name, operation, before, after: undefined }));
    return [...screen(set, pins, "warn").differences, ...gone];
  });
}

/** The lock that accepts exactly what is offered; sources that could not be looked at keep what they had. */
export function accept(sets: readonly SourceSet[], pins: Pins, known: ReadonlySet<string>): Pins {
  const kept = [...pins].filter(([source]) => known.has(source));
  const offered = sets.map(
    ({ source, registrations }) =>
      [source.name, new Map(registrations.map(({ spec }) => [spec.name, pinOf(spec)]))] as const,
  );
  return new Map([...kept, ...offered]);
}

/** Tells the operator what was not accepted: a few names, and what to do. */
export function reportDifferences({ set, differences }: Screened, mode: LockMode, log: Log): void {
  if (differences.length === 0) return;
  const message =
    mode === "enforce"
      ? "Definitions that nobody accepted are withheld; run pinhole lock to review them"
      : "Definitions differ from pinhole.lock; run pinhole lock to review them";
  const named = differences
    .slice(0, 10)
    .map(({ operation, before }) => `${before ? "changed" : "new"}: ${operation}`);
  log.warn(message, { source: set.source.name, operations: differences.length, named });
}
