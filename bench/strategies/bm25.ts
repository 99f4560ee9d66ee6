const K1 = 1.2;
const B = 0.75;

/** Ranks texts by the words of a query, best first: the places of the texts that share a word with it. */
export type Ranker = (query: string) => readonly number[];

/** Plain BM25 over whole texts: what a filter of a few lines does. No stems, no fields, no vectors. */
export function createRanker(texts: readonly string[]): Ranker {
  const lengths: number[] = [];
  const postings = new Map<string, Map<number, number>>();
  for (const [place, text] of texts.entries()) {
    const words = wordsOf(text);
    lengths.push(words.length);
    for (const word of words) {
      const counts = postings.get(word) ?? new Map<number, number>();
      counts.set(place, (counts.get(place) ?? 0) + 1);
      postings.set(word, counts);
    }
  }
  const mean = lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1);

  return (query) => {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(query))) {
      const counts = postings.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (texts.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [place, count] of counts) {
        const norm = K1 * (1 - B + (B * (lengths[place] ?? 0)) / mean);
        scores.set(place, (scores.get(place) ?? 0) + (rarity * count * (K1 + 1)) / (count + norm));
      }
    }
    return [...scores].sort(([a, one], [b, other]) => other - one || a - b).map(([place]) => place);
  };
}

/** Words in lower case; identifiers are taken apart where their case changes. */
export function wordsOf(text: string): readonly string[] {
  const split = text.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2");
  return split.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
}
