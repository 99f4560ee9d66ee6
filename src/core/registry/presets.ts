import { type Caller, decideSight, type Sight } from "../access/index.ts";
import { type Entry, type OperationSpec, type Preset, reachBy } from "../model/index.ts";
import type { KnownPreset } from "./known-preset.ts";
import type { Snapshot } from "./snapshot.ts";

/** A preset that a caller has named. */
export interface FoundPreset {
  readonly preset: Preset;
  /** The operation that it runs. */
  readonly entry: Entry;
  /** The preset as its callers see it. */
  readonly spec: OperationSpec;
  /** The caller's reach of the operation by this preset. */
  readonly reach: Caller["reach"];
  readonly sight: Sight;
}

/** The preset of a name; undefined where there is none, or it is denied, or it cannot work. The caller's sight of its operation decides. */
export function findPreset(snapshot: Snapshot, name: string, caller: Caller): FoundPreset | undefined {
  const known = snapshot.presets.get(name);
  if (!known || problemOfPreset(snapshot, known, caller) !== undefined) return undefined;
  const { preset } = known;
  const entry = snapshot.find(preset.operation, caller);
  if (!entry) return undefined;
  const reach = reachBy(caller.reach, name);
  const sight = decideSight(entry.registration, { ...caller, reach }, snapshot.policy);
  return { preset, entry, spec: known.fit(entry.registration.spec).spec, reach, sight };
}

/** The reason why a preset is not there; undefined if it is. */
export function problemOfPreset(
  snapshot: Snapshot,
  known: KnownPreset,
  caller?: Pick<Caller, "connection" | "overlay">,
): string | undefined {
  const { name, operation } = known.preset;
  if (snapshot.policy.denies(name)) return "it is denied";
  if (snapshot.find(name, caller)) return "an operation has this name";
  const entry = snapshot.find(operation, caller);
  return entry ? known.fit(entry.registration.spec).problem : `its operation ${operation} is not there`;
}
