import { type Caller, decideSight, type Sight } from "./access.ts";
import { namespaceOf } from "./name.ts";
import { nearest } from "./nearest.ts";
import { byName, type Snapshot } from "./snapshot.ts";
import type { Entry } from "./source.ts";

const MAX_SUGGESTIONS = 3;

/** What one caller sees of a snapshot. Whatever shows operations to a caller asks here. */
export interface View {
  /** The entry of a name together with what this caller may know of it. */
  look(name: string): { readonly entry: Entry; readonly sight: Sight } | undefined;
  /** The entries that this caller may see, by name; only one namespace of them where it is named. */
  visible(namespace?: string): Iterable<Entry>;
  /** The namespaces in which this caller sees something, by name. */
  namespaces(): readonly string[];
  /** Visible names like one that was not found. */
  suggest(name: string): readonly string[];
}

/** Looks at a snapshot with the eyes of a caller. */
export function createView(snapshot: Snapshot, caller: Caller): View {
  const { connection } = caller;
  const sightOf = (entry: Entry) => decideSight(entry.registration, caller, snapshot.policy);
  const isOpen = (entry: Entry) => sightOf(entry) === "open";
  const nameOf = (entry: Entry) => entry.registration.spec.name;

  return {
    look(name) {
      const entry = snapshot.find(name, connection);
      return entry && { entry, sight: sightOf(entry) };
    },

    *visible(namespace) {
      const entries =
        namespace === undefined
          ? snapshot.entries(connection)
          : byName([...snapshot.entriesIn(namespace, connection)]);
      for (const entry of entries) if (isOpen(entry)) yield entry;
    },

    namespaces() {
      return [...snapshot.namespaces(connection)]
        .filter((namespace) => some(snapshot.entriesIn(namespace, connection), isOpen))
        .sort();
    },

    // What is hidden is dropped before anything is ranked or cut, so that it cannot show by its absence.
    suggest(name) {
      const likeNamespaces = nearest(
        namespaceOf(name),
        snapshot.namespaces(connection),
        Number.POSITIVE_INFINITY,
      );
      const near = likeNamespaces.flatMap((namespace) =>
        [...snapshot.entriesIn(namespace, connection)].filter(isOpen).map(nameOf),
      );
      const sameWord = snapshot.entriesOfWord(name, connection).filter(isOpen).map(nameOf);
      return [...new Set([...nearest(name, near), ...sameWord])].slice(0, MAX_SUGGESTIONS);
    },
  };
}

/** Stops at the first that fits, where a namespace may hold a hundred thousand. */
function some(entries: Iterable<Entry>, fits: (entry: Entry) => boolean): boolean {
  for (const entry of entries) if (fits(entry)) return true;
  return false;
}
