import type { Log, Registration, Source, SourceSet } from "../../core/index.ts";
import { digestOf, type Pin, type Pins, pinOf, pinOfSource, textsOf } from "./pins.ts";

/** The consequence for a definition that was not accepted: none, a warning, or it is withheld. */
export type LockMode = "off" | "warn" | "enforce";

/** A difference between an offered and an accepted definition. */
export interface Difference {
  readonly source: string;
  /** The name of the operation; for the texts of the source itself, the name of the source. */
  readonly operation: string;
  /** The accepted one; undefined if it is new. */
  readonly before: Pin | undefined;
  /** The offered one; undefined if it is gone. */
  readonly after: Pin | undefined;
  /** In a review, every value that a pin does not have in full, in the parts that are new or have changed. */
  readonly texts: readonly string[];
}

/** The offered operations, compared with the lock. */
export interface Screened {
  readonly set: SourceSet;
  /** All that was not accepted. It stays in the set where the lock only warns. */
  readonly differences: readonly Difference[];
}

/** Leaves out what was not accepted, where the lock enforces. */
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
    set: { source: about && mode === "enforce" ? withoutTexts(source) : source, registrations: kept },
    differences: about ? [...differences, about] : differences,
  };
}

function differenceOfSource(source: Source, before: Pin | undefined): Difference | undefined {
  const after = pinOfSource(source);
  if (!after || after.digest === before?.digest) return undefined;
  return { source: source.name, operation: source.name, before, after, texts: [] };
}

function withoutTexts({ title: _, description: __, ...source }: Source): Source {
  return source;
}

/** All differences between offered operations and a lock, also those that are gone, with their texts. */
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

/** The lock that accepts exactly what is offered; sources that could not be reached keep their pins. */
export function accept(sets: readonly SourceSet[], pins: Pins, known: ReadonlySet<string>): Pins {
  const kept = [...pins].filter(([source]) => known.has(source));
  return new Map([...kept, ...sets.map((set) => [set.source.name, pinsOf(set)] as const)]);
}

/** No operation has the name of its source: it continues with a slash and more. */
function pinsOf({ source, registrations }: SourceSet): ReadonlyMap<string, Pin> {
  const about = pinOfSource(source);
  return new Map([
    ...(about ? [[source.name, about] as const] : []),
    ...registrations.map((registration) => [registration.spec.name, pinOf(registration)] as const),
  ]);
}

/** Logs what was not accepted: a few names, and what to do. */
export function reportDifferences({ set, differences }: Screened, mode: LockMode, log: Log): void {
  if (differences.length === 0) return;
  const message =
    mode === "enforce"
      ? "Definitions that were not accepted are withheld; run pinhole lock to review them"
      : "Definitions differ from pinhole.lock; run pinhole lock to review them";
  const named = differences
    .slice(0, 10)
    .map(({ operation, before }) => `${before ? "changed" : "new"}: ${operation}`);
  log.warn(message, { source: set.source.name, operations: differences.length, named });
}
