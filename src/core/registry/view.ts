import { type Caller, decideSight, nearest, type Sight } from "../access/index.ts";
import type { Entry, Identity } from "../model/index.ts";
import { isNameLike } from "./namespace.ts";
import { byName, type Snapshot } from "./snapshot.ts";

const MAX_SUGGESTIONS = 3;

/** The part of a snapshot that one caller sees. Everything that shows operations to a caller asks here. */
export interface View {
  /** The entry of a name, with the caller's sight of it. */
  look(name: string): { readonly entry: Entry; readonly sight: Sight } | undefined;
  /** The entries that this caller may see, by name; only one namespace of them where it is named. */
  visible(namespace?: string): Iterable<Entry>;
  /** The visible entries of one namespace, in no order; hidden ones take no time. */
  visibleIn(namespace: string): Iterable<Entry>;
  /** The namespaces in which this caller sees something, by name. */
  namespaces(): readonly string[];
  /** Visible names similar to one that was not found. */
  suggest(name: string): readonly string[];
}

/** The view of a caller on a snapshot. */
export function createView(snapshot: Snapshot, caller: Caller): View {
  const sightOf = (entry: Entry) => decideSight(entry.registration, caller, snapshot.policy);
  const nameOf = (entry: Entry) => entry.registration.spec.name;
  const isFound = (entry: Entry) => snapshot.find(nameOf(entry), caller) === entry;
  const crowds = () =>
    snapshot
      .crowds(caller, caller.internal ? undefined : caller.reach)
      .filter((crowd) => crowd.isOpenTo(caller));

  function* visibleIn(namespace: string): Iterable<Entry> {
    for (const { groups } of crowds())
      for (const entry of groups.get(namespace)?.entries ?? []) if (isFound(entry)) yield entry;
  }

  return {
    look(name) {
      const entry = snapshot.find(name, caller);
      return entry && { entry, sight: sightOf(entry) };
    },

    *visible(namespace) {
      if (namespace !== undefined) return yield* byName([...visibleIn(namespace)]);
      for (const entry of snapshot.entries(caller)) if (sightOf(entry) === "open") yield entry;
    },

    visibleIn,

    namespaces() {
      const seen = new Set(crowds().flatMap(({ groups }) => [...groups.keys()]));
      return [...seen].filter((namespace) => some(visibleIn(namespace))).sort();
    },

    // Searches visible names only, so that hidden ones affect neither the suggestions nor the time.
    suggest(name) {
      if (!isNameLike(name)) return [];
      const seen = crowds();
      const sameWord = smallest(
        seen
          .flatMap((crowd) => crowd.ofWord(name))
          .filter(isFound)
          .map(nameOf),
      );
      const near = new Set(
        seen
          .flatMap((crowd) => [...crowd.like(name)])
          .filter(isFound)
          .map(nameOf),
      );
      return [...new Set([...nearest(name, near), ...sameWord])].slice(0, MAX_SUGGESTIONS);
    },
  };
}

function some(entries: Iterable<Entry>): boolean {
  for (const _ of entries) return true;
  return false;
}

/** The first names in alphabetical order, found without sorting all of them. */
function smallest(names: readonly string[]): readonly string[] {
  const first: string[] = [];
  for (const name of names) {
    if (first.length === MAX_SUGGESTIONS && name >= (first.at(-1) ?? "")) continue;
    first.push(name);
    first.sort().splice(MAX_SUGGESTIONS);
  }
  return first;
}

/** The scope that the operations of operators require. */
export const OPERATOR_SCOPE = "operator";

/** An identity with every scope and grant that any operation requires. */
export function operatorOf(snapshot: Snapshot): Identity {
  const scopes = new Set<string>([OPERATOR_SCOPE]);
  const resources: Record<string, readonly string[]> = {};
  for (const namespace of snapshot.namespaces()) {
    for (const { registration } of snapshot.entriesIn(namespace)) {
      const { access } = registration.spec;
      for (const scope of [...(access.scopes ?? []), ...(access.anyScope ?? [])]) scopes.add(scope);
      if (access.resource) resources[`${access.resource.type}:*`] = ["*"];
    }
  }
  return { id: OPERATOR_SCOPE, authenticated: true, scopes: [...scopes], resources };
}
