import type { Log, Registration, Source, SourceSet } from "../../core/index.ts";
import { digestOf, type Pin, type Pins, pinOf, pinOfSource, textsOf } from "./pins.ts";

/** What happens to a definition that was not accepted: nothing, a warning, or it is withheld. */
export type LockMode = "off" | "warn" | "enforce";

/** How what a source offers differs from what was accepted. */
export interface Difference {
  readonly source: string;
  /** The name of the operation; that of the source for what it says of itself. */
  readonly operation: string;
  /** What was accepted; undefined for what is new. */
  readonly before: Pin | undefined;
  /** What is offered; undefined for what is gone. */
  readonly after: Pin | undefined;
  /** Every value that a pin does not have in full, in the parts that are new or have changed; empty outside of a review. */
  readonly texts: readonly string[];
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
  const { source } = set;
  const accepted = pins?.get(source.name);
  const differences: Difference[] = [];
  const kept: Registration[] = [];
  for (const registration of set.registrations) {
    const { name } = registration.spec;
    const before = accepted?.get(name);
    const isAccepted = before?.digest === digestOf(registration);
    if (!isAccepted)
      differences.push({
        source: source.name,
        operation: name,
        before,
        after: pinOf(registration),
        texts: [],
      });
    if (isAccepted || mode === "warn") kept.push(registration);
  }
  const about = differenceOfSource(source, accepted?.get(source.name));
  if (differences.length === 0 && !about) return { set, differences };
  return {
    set: { source: about && mode === "enforce" ? untold(source) : source, registrations: kept },
    differences: about ? [...differences, about] : differences,
  };
}

function differenceOfSource(source: Source, before: Pin | undefined): Difference | undefined {
  const after = pinOfSource(source);
  if (!after || after.digest === before?.digest) return undefined;
  return { source: source.name, operation: source.name, before, after, texts: [] };
}

function untold({ title: _, description: __, ...source }: Source): Source {
  return source;
}

/** Everything in which what is offered now differs from a lock, also what is gone, with all that there is to read. */
export function compare(sets: readonly SourceSet[], pins: Pins): readonly Difference[] {
  return sets.flatMap((set) => {
    const { name } = set.source;
    const offered = pinsOf(set);
    const gone = [...(pins.get(name) ?? [])]
      .filter(([operation]) => !offered.has(operation))
      .map(([operation, before]) => ({ source: name, operation, before, after: undefined, texts: [] }));
    const definitions = new Map(set.registrations.map((each) => [each.spec.name, each]));
    const differences = screen(set, pins, "warn").differences.map((difference) => {
      const definition = definitions.get(difference.operation);
      return definition ? { ...difference, texts: textsOf(definition, difference.before) } : difference;
    });
    return [...differences, ...gone];
  });
}

/** The lock that accepts exactly what is offered; sources that could not be looked at keep what they had. */
export function accept(sets: readonly SourceSet[], pins: Pins, known: ReadonlySet<string>): Pins {
  const kept = [...pins].filter(([source]) => known.has(source));
  return new Map([...kept, ...sets.map((set) => [set.source.name, pinsOf(set)] as const)]);
}

/** No operation is called as its source is: it has the name of the source, a slash and more. */
function pinsOf({ source, registrations }: SourceSet): ReadonlyMap<string, Pin> {
  const about = pinOfSource(source);
  return new Map([
    ...(about ? [[source.name, about] as const] : []),
    ...registrations.map((registration) => [registration.spec.name, pinOf(registration)] as const),
  ]);
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
