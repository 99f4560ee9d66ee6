import {
  type Caller,
  type Entry,
  type Log,
  type Registry,
  SILENT_LOG,
  Slices,
  type Steps,
} from "../../core/index.ts";
import { Audiences } from "./audiences.ts";
import { DenseIndex, loadModel, type WordVectors } from "./dense/index.ts";
import { Documents } from "./documents.ts";
import { IndexUpdater } from "./index-updater.ts";
import { Indexer } from "./indexer.ts";
import { LexicalIndex, Scores } from "./lexical/index.ts";
import {
  type Explanation,
  explainWords,
  type Ranking,
  type RankingParts,
  type RankRequest,
  rank,
} from "./ranking.ts";
import type { NamespaceLine } from "./reply.ts";

/** An answer is not cut into slices, and takes about this long in a large registry; it starts early in a turn. */
const ANSWER_MS = 4;
/** Attempts at counting the namespaces of a registry that changes meanwhile. */
const MOST_COUNTS = 3;

/** Options of a search index. */
export interface SearchIndexOptions {
  /** False: by words alone. */
  readonly dense?: boolean;
  /** Told of operations that cannot be indexed. */
  readonly log?: Log | undefined;
}

/** A query's caller, filters and number of wanted results. */
export type SearchRequest = RankRequest;

/** The entries found for a query, best first. */
export interface SearchResult extends Pick<Ranking, "total" | "confidence"> {
  readonly entries: readonly Entry[];
}

/** A search index over a registry. */
export interface SearchIndex {
  /** The operations that a caller may see, best first. */
  search(query: string, request: SearchRequest): Promise<SearchResult>;
  /** The same with reasons. For operators: callers never see scores. */
  explain(query: string, request: SearchRequest): Promise<readonly Explanation[]>;
  /** The namespaces in which a caller sees something, by name. */
  namespaces(
    caller: Caller,
    filter?: Pick<SearchRequest, "namespace" | "types">,
  ): Promise<readonly NamespaceLine[]>;
  /** Resolves when everything that the registry holds is in the index. */
  ready(): Promise<void>;
  /** Stops following the registry. */
  close(): void;
}

/**
 * Makes an index that follows a registry from change to change.
 *
 *     const index = createSearchIndex(registry);
 *     await index.search("create an issue", { caller: { identity: ANONYMOUS, internal: false }, most: 10 });
 */
export function createSearchIndex(registry: Registry, options: SearchIndexOptions = {}): SearchIndex {
  const slices = new Slices();
  const opening = openIndex(registry, { ...options, slices });
  // Queries report the failure.
  opening.catch(() => {});

  /** Answers once the index is up to date and knows what the caller sees, in a turn that has time for it. */
  async function answer<Value>(caller: Caller, from: (parts: RankingParts) => Value): Promise<Value> {
    const { updater, parts } = await opening;
    for (;;) {
      await updater.caughtUp();
      await slices.run(parts.audiences.prepare(caller, () => registry.snapshot()));
      const wait = slices.pause(ANSWER_MS);
      if (wait) await wait;
      // Either may have fallen behind while the other was waited for.
      else if (!updater.isBehind && !parts.audiences.isBehind(caller)) return from(parts);
    }
  }

  function ranked(query: string, request: SearchRequest) {
    return answer(request.caller, (parts) => ({
      ...parts,
      ...rank(query, parts, { ...request, snapshot: registry.snapshot() }),
    }));
  }

  return {
    async search(query, request) {
      const { best, total, confidence, documents } = await ranked(query, request);
      return {
        entries: best.flatMap(({ document }) => documents.entryOf(document) ?? []),
        total,
        confidence,
      };
    },
    async explain(query, request) {
      const { best, terms, documents, lexical } = await ranked(query, request);
      return best.flatMap(({ document, score, lexical: points, dense: likeness }) => {
        const entry = documents.entryOf(document);
        if (!entry) return [];
        const words = explainWords(terms, entry, (term) => lexical.dictionary.termOf(term));
        return [{ name: documents.nameOf(document), score, lexical: points, dense: likeness, words }];
      });
    },
    async namespaces(caller, filter = {}) {
      for (let times = 1; ; times++) {
        const { snapshot, steps } = await answer(caller, ({ documents, audiences }) => {
          const now = registry.snapshot();
          const { visible } = audiences.of(caller, now);
          return { snapshot: now, steps: namespacesOf(documents, visible, documents.filter(filter)) };
        });
        const lines = await slices.run(steps);
        if (registry.snapshot() === snapshot || times === MOST_COUNTS) return lines;
      }
    },
    ready: async () => (await opening).updater.caughtUp(),
    close: () => void opening.then(({ updater }) => updater.close()).catch(() => {}),
  };
}

const sharedModel = shareModel();

/** Reads the word vectors and starts to follow a registry. */
export async function openIndex(
  registry: Registry,
  options: SearchIndexOptions & { readonly slices: Slices },
): Promise<{ readonly parts: RankingParts; readonly updater: IndexUpdater }> {
  const { slices, log = SILENT_LOG } = options;
  const model = options.dense === false ? undefined : await sharedModel(slices);
  const documents = new Documents();
  const parts = {
    documents,
    audiences: new Audiences(documents),
    lexical: new LexicalIndex(),
    dense: model && new DenseIndex(model),
    scores: new Scores(),
  };
  return { parts, updater: new IndexUpdater(registry, new Indexer(parts), { slices, log }) };
}

/** The file never changes while the program runs, so all indexes share the model. */
function shareModel(): (slices: Slices) => Promise<WordVectors> {
  let loading: Promise<WordVectors> | undefined;
  return (slices) => {
    loading ??= loadModel(slices).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** The namespaces with something visible in them, by name, with their counts. */
export function* namespacesOf(
  documents: Documents,
  visible: Uint8Array,
  passes: ((document: number) => boolean) | undefined,
): Steps<readonly NamespaceLine[]> {
  const counts = new Map<string, { first: string; description: string; operations: number }>();
  for (let document = 0; document < documents.end; document++) {
    yield;
    if (visible[document] !== 1 || (passes && !passes(document))) continue;
    const entry = documents.entryOf(document);
    if (!entry) continue;
    const { name, namespace } = entry.registration.spec;
    const known = counts.get(namespace);
    const description = entry.source.description ?? "";
    if (!known) counts.set(namespace, { first: name, description, operations: 1 });
    else {
      known.operations++;
      // If several sources share a namespace, the first name decides, not the order in which they came.
      if (name < known.first) Object.assign(known, { first: name, description });
    }
  }
  return [...counts]
    .map(([name, { description, operations }]) => ({ name, description, operations }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
