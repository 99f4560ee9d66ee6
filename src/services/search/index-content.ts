import type { Steps } from "../../core/index.ts";
import type { DenseIndex } from "./dense/index.ts";
import type { Documents } from "./documents.ts";
import type { LexicalIndex, WeighedTerms } from "./lexical/index.ts";
import { contentHash, type IndexContent, type SavedDocument } from "./saved/index.ts";
import { fieldsOf } from "./text/index.ts";

/** Parts of an index. */
interface IndexParts {
  readonly documents: Documents;
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex | undefined;
}

/**
 * Reads a whole index out: lists of documents for each word become lists of words for each document.
 * Documents that come or change meanwhile are left out, for their first words may have been read before.
 */
export function* contentOf({ documents, lexical, dense }: IndexParts): Steps<IndexContent> {
  const { added, end } = documents;
  const wordsOf = yield* wordsOfDocuments(lexical, end);
  const words: string[] = [];
  for (let term = 0; term < lexical.dictionary.size; term++)
    yield void words.push(lexical.isName(term) ? "" : lexical.dictionary.termOf(term));
  const vectors = dense && new Int8Array(end * dense.model.dimensions);
  const saved: SavedDocument[] = [];
  for (let document = 0; document < end; document++) {
    yield;
    const terms = wordsOf(document);
    const entry = documents.entryOf(document);
    if (!entry || terms.terms.length === 0 || !documents.wasThere(document, added)) continue;
    saved.push({
      hash: contentHash(fieldsOf(entry.registration.spec, entry.source)),
      terms,
      vector: vectors && copied(dense.vectors.bytesOf(document), vectors, document),
    });
  }
  return { model: dense?.model.id ?? "none", words, documents: saved };
}

/** What is read out must not change while it is written, and one array for all is kinder to the collector. */
function copied(vector: Int8Array, to: Int8Array, document: number): Int8Array {
  const start = document * vector.length;
  to.set(vector, start);
  return to.subarray(start, start + vector.length);
}

/**
 * Turns lists of documents for each word into lists of words for each document below `end`. How long each list is, is
 * counted first, so that all lie in one array: a hundred thousand small ones would keep the collector busy.
 */
export function* wordsOfDocuments(
  lexical: LexicalIndex,
  end: number,
): Steps<(document: number) => WeighedTerms> {
  const starts = new Uint32Array(end + 1);
  yield* eachPosting(lexical, (_, document) => {
    if (document < end) starts[document + 1] = (starts[document + 1] as number) + 1;
  });
  for (let document = 0; document < end; document++) {
    starts[document + 1] = (starts[document + 1] as number) + (starts[document] as number);
    yield;
  }
  const filled = starts.slice(0, end);
  const terms = new Uint32Array(starts[end] ?? 0);
  const impacts = new Uint8Array(terms.length);
  yield* eachPosting(lexical, (term, document, impact) => {
    const at = filled[document] as number;
    // A document that came meanwhile has no place.
    if (document >= end || at === starts[document + 1]) return;
    terms[at] = term;
    impacts[at] = impact;
    filled[document] = at + 1;
  });
  return (document) => ({
    terms: terms.subarray(starts[document], filled[document]),
    impacts: impacts.subarray(starts[document], filled[document]),
  });
}

function* eachPosting(
  lexical: LexicalIndex,
  visit: (term: number, document: number, impact: number) => void,
): Steps {
  for (let term = 0; term < lexical.dictionary.size; term++) {
    if (!lexical.isName(term))
      lexical.postings.each(term, (document, impact) => visit(term, document, impact));
    yield;
  }
}
