import type { Caller, Entry, Registry } from "../core/index.ts";
import { Audiences } from "./audiences.ts";
import { DenseIndex, readModel } from "./dense/index.ts";
import { Documents } from "./documents.ts";
import { type Explanation, explainWords } from "./explain.ts";
import { Following } from "./follow.ts";
import { contentOf } from "./index-content.ts";
import { Indexer } from "./indexer.ts";
import { LexicalIndex, Scores } from "./lexical/index.ts";
import { namespacesOf } from "./namespaces.ts";
import { type Ranking, type RankRequest, rank } from "./ranking.ts";
import type { NamespaceLine } from "./reply.ts";
import { keepIndex, parseIndex, writeIndex } from "./saved/index.ts";

const loadModel = once(readModel);

/** How an index is made. */
export interface SearchIndexOptions {
  /** False: by words alone. */
  readonly dense?: boolean;
  /** What `save` gave before. What has not changed since need not be worked out again. */
  readonly saved?: Uint8Array | undefined;
  /** Instead of `saved`: a file that the index is read from and written to. */
  readonly file?: string;
}

/** What is asked, by whom, and how much of the answer. */
export type SearchRequest = RankRequest;

/** What was found. */
export interface SearchResult extends Pick<Ranking, "total" | "confidence"> {
  readonly entries: readonly Entry[];
}

/** A search index over a registry. */
export interface SearchIndex {
  /** The operations that a caller may see, best first. */
  search(query: string, request: SearchRequest): Promise<SearchResult>;
  /** The same with reasons. For operators: scores are not for callers. */
  explain(query: string, request: SearchRequest): Promise<readonly Explanation[]>;
  /** The namespaces in which a caller sees something, as far as the index has caught up. */
  namespaces(caller: Caller, filter?: Pick<SearchRequest, "namespace" | "types">): readonly NamespaceLine[];
  /** Resolves when everything that the registry holds is in the index. */
  ready(): Promise<void>;
  /** The index as bytes, for the next start. */
  save(): Promise<Uint8Array>;
  /** Follows the registry no longer. */
  close(): void;
}

/**
 * Makes an index that follows a registry from change to change.
 *
 *     const index = createSearchIndex(registry);
 *     await index.search("create an issue", { caller: { identity: ANONYMOUS, internal: false }, most: 10 });
 */
export function createSearchIndex(registry: Registry, options: SearchIndexOptions = {}): SearchIndex {
  const documents = new Documents();
  const audiences = new Audiences(documents);
  const lexical = new LexicalIndex();
  const dense = options.dense === false ? undefined : new DenseIndex(loadModel());
  const parts = { documents, audiences, lexical, dense, scores: new Scores() };
  const kept = options.file === undefined ? undefined : keepIndex(options.file);
  const bytes = options.saved ?? kept?.saved;
  const saved = bytes && parseIndex(bytes, dense?.model.id ?? "none");
  const indexer = new Indexer({ ...parts, saved, onNew: () => kept?.changed(save) });
  const following = new Following(registry, indexer);

  async function save(): Promise<Uint8Array> {
    await following.caughtUp();
    return writeIndex(await contentOf(parts));
  }

  async function ranked(query: string, request: SearchRequest): Promise<Ranking> {
    await following.caughtUp();
    await audiences.prepare(request.caller, () => registry.snapshot());
    // The registry may have moved on in between.
    await following.caughtUp();
    return rank(query, parts, { ...request, snapshot: registry.snapshot() });
  }

  return {
    async search(query, request) {
      const { best, total, confidence } = await ranked(query, request);
      return {
        entries: best.flatMap(({ document }) => documents.entryOf(document) ?? []),
        total,
        confidence,
      };
    },
    async explain(query, request) {
      const { best, terms } = await ranked(query, request);
      return best.flatMap(({ document, score, lexical: points, dense: likeness }) => {
        const entry = documents.entryOf(document);
        if (!entry) return [];
        const words = explainWords(terms, entry, (term) => lexical.dictionary.termOf(term));
        return [{ name: documents.nameOf(document), score, lexical: points, dense: likeness, words }];
      });
    },
    namespaces(caller, filter = {}) {
      const { visible } = audiences.of(caller, registry.snapshot());
      return namespacesOf(documents, visible, documents.filter(filter));
    },
    ready: () => following.caughtUp(),
    save,
    close: () => following.close(),
  };
}

/** The file never changes while the program runs, so all indexes share what was read. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
