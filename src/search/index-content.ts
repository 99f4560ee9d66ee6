import type { Steps } from "../formats/index.ts";
import type { DenseIndex } from "./dense/index.ts";
import type { Documents } from "./documents.ts";
import { fieldsOf } from "./fields.ts";
import type { LexicalIndex } from "./lexical/index.ts";
import { contentHash, type IndexContent, type SavedDocument } from "./saved/index.ts";

/** What an index is made of. */
export interface IndexParts {
  readonly documents: Documents;
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex | undefined;
}

/** So many postings are one step. */
const AT_ONCE = 256;

/**
 * Reads a whole index out: lists of documents for each word become lists of words for each document.
 * Documents that come or change meanwhile are left out, for their first words may have been read before.
 */
export function* contentOf({ documents, lexical, dense }: IndexParts): Steps<IndexContent> {
  const { added, end } = documents;
  const lists: { terms: number[]; impacts: number[] }[] = [];
  const words: string[] = [];
  for (let term = 0; term < lexical.dictionary.size; term++) {
    yield;
    const isName = lexical.isName(term);
    words.push(isName ? "" : lexical.dictionary.termOf(term));
    if (isName) continue;
    const postings = lexical.postings.of(term);
    for (let at = 0; at < postings.length; at++) {
      if (at % AT_ONCE === AT_ONCE - 1) yield;
      const posting = postings[at] ?? 0;
      const list = lists[posting >>> 8] ?? { terms: [], impacts: [] };
      lists[posting >>> 8] = list;
      list.terms.push(term);
      list.impacts.push(posting & 255);
    }
  }
  const saved: SavedDocument[] = [];
  for (let document = 0; document < end; document++) {
    yield;
    const list = lists[document];
    const entry = documents.entryOf(document);
    if (!entry || !list || !documents.wasThere(document, added)) continue;
    saved.push({
      hash: contentHash(fieldsOf(entry.registration.spec, entry.source)),
      terms: { terms: Uint32Array.from(list.terms), impacts: Uint8Array.from(list.impacts) },
      vector: dense?.vectors.bytesOf(document).slice(),
    });
  }
  return { model: dense?.model.id ?? "none", words, documents: saved };
}
