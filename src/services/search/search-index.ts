import type { Caller, Entry, Log, Registry } from "../../core/index.ts";
import { Slices } from "../../core/index.ts";
import { type Explanation, explainWords } from "./explain.ts";
import { contentOf } from "./index-content.ts";
import { namespacesOf } from "./namespaces.ts";
import { openIndex } from "./open-index.ts";
import { type Ranking, type RankingParts, type RankRequest, rank } from "./ranking.ts";
import type { NamespaceLine } from "./reply.ts";
import { writeIndex } from "./saved/index.ts";

/** An answer is not cut into slices and takes about this long where there is much; it starts early in a turn. */
const ANSWER_MS = 4;
/** How often the namespaces are counted anew because something changed meanwhile. */
const MOST_COUNTS = 3;

/** How an index is made. */
export interface SearchIndexOptions {
  /** False: by words alone. */
  readonly dense?: boolean;
  /** What `save` gave before. What has not changed since need not be worked out again. */
  readonly saved?: Uint8Array | undefined;
  /** Instead of `saved`: a file that the index is read from and written to. */
  readonly file?: string;
  /** Told of operations that cannot be indexed. */
  readonly log?: Log | undefined;
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
  /** The namespaces in which a caller sees something, by name. */
  namespaces(
    caller: Caller,
    filter?: Pick<SearchRequest, "namespace" | "types">,
  ): Promise<readonly NamespaceLine[]>;
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
  const slices = new Slices();
  const opening = openIndex(registry, { ...options, slices, save });
  // Queries report it.
  opening.catch(() => {});

  async function save(): Promise<Uint8Array> {
    const { following, parts } = await opening;
    await following.caughtUp();
    return slices.run(writeIndex(await slices.run(contentOf(parts))));
  }

  /** Answers when the index knows everything and what of it the caller sees, in a turn that has time for it. */
  async function answer<Value>(caller: Caller, from: (parts: RankingParts) => Value): Promise<Value> {
    const { following, parts } = await opening;
    for (;;) {
      await following.caughtUp();
      await slices.run(parts.audiences.prepare(caller, () => registry.snapshot()));
      const wait = slices.pause(ANSWER_MS);
      if (wait) await wait;
      // Either may have fallen behind while the other was waited for.
      else if (!following.isBehind && !parts.audiences.isBehind(caller)) return from(parts);
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
    ready: async () => (await opening).following.caughtUp(),
    save,
    close: () => void opening.then(({ close }) => close()).catch(() => {}),
  };
}
