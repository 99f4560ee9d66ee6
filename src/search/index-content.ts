import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import type { DenseIndex } from "./dense/index.ts";
import type { Documents } from "./documents.ts";
import { fieldsOf } from "./fields.ts";
import type { LexicalIndex } from "./lexical/index.ts";
import { contentHash, type IndexContent, type SavedDocument } from "./saved/index.ts";

const SLICE_MS = 8;

/** What an index is made of. */
export interface IndexParts {
  readonly documents: Documents;
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex | undefined;
}

/** Reads a whole index out, in slices: lists of documents for each word become lists of words for each document. */
export async function contentOf({ documents, lexical, dense }: IndexParts): Promise<IndexContent> {
  const pause = createPause();
  const lists: { terms: number[]; impacts: number[] }[] = [];
  const words: string[] = [];
  for (let term = 0; term < lexical.dictionary.size; term++) {
    words.push(lexical.dictionary.termOf(term));
    if (lexical.isName(term)) continue;
    for (const posting of lexical.postings.of(term)) {
      const list = lists[posting >>> 8] ?? { terms: [], impacts: [] };
      lists[posting >>> 8] = list;
      list.terms.push(term);
      list.impacts.push(posting & 255);
    }
    await pause();
  }
  const saved: SavedDocument[] = [];
  for (let document = 0; document < documents.end; document++) {
    const entry = documents.entryOf(document);
    const list = lists[document];
    if (!entry || !list) continue;
    saved.push({
      hash: contentHash(fieldsOf(entry.registration.spec, entry.source)),
      terms: { terms: Uint32Array.from(list.terms), impacts: Uint8Array.from(list.impacts) },
      vector: dense?.vectors.bytesOf(document).slice(),
    });
    await pause();
  }
  return { model: dense?.model.id ?? "none", words, documents: saved };
}

function createPause(): () => Promise<void> | undefined {
  let end = performance.now() + SLICE_MS;
  return () => {
    if (performance.now() < end) return undefined;
    return turnOfEventLoop().then(() => {
      end = performance.now() + SLICE_MS;
    });
  };
}
