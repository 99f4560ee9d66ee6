import type { Steps } from "../../core/index.ts";
import type { LexicalIndex, WeighedTerms } from "./lexical/index.ts";

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
