import { STOP_WORDS, stem, wordsOf } from "../text/index.ts";

/** Longer queries are whole stories; their first words say enough. */
const MAX_LENGTH = 4_000;
const MAX_TERMS = 64;

/** A word of a query, stemmed, with how much it counts for being repeated. */
export interface QueryWord {
  readonly word: string;
  readonly times: number;
}

/** The words of a query. Words without meaning count only where there are no others. */
export function parseQuery(query: string): readonly QueryWord[] {
  const words = wordsOf(query.slice(0, MAX_LENGTH));
  const meaningful = words.filter((word) => !STOP_WORDS.has(word) && word.length > (isDigit(word) ? 0 : 1));
  const counts = new Map<string, number>();
  for (const word of meaningful.length > 0 ? meaningful : words) {
    const term = stem(word);
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return [...counts].slice(0, MAX_TERMS).map(([word, count]) => ({ word, times: 1 + Math.log(count) * 0.5 }));
}

function isDigit(word: string): boolean {
  return /^[0-9]/.test(word);
}
