import type { Bag } from "../../src/services/search/dense/dense-index.ts";
import type { Corpus } from "./corpus.ts";
import type { Random } from "./random.ts";
import type { StartVectors } from "./word-vectors.ts";

const MIN_COUNT = 3;
const COMMON_WORDS = 20_000;
const MOST_WORDS = 34_000;
/** A word that is this share of all words counts half. */
const COMMON_SHARE = 4e-4;

/** The words of a model, with a vector of length 1 and a weight each, to begin with. */
export interface Vocabulary {
  readonly words: readonly string[];
  readonly numbers: ReadonlyMap<string, number>;
  readonly vectors: Float32Array;
  readonly weights: Float32Array;
}

/** Chooses words: all that the corpus has often enough, and the common ones of the language. */
export function chooseVocabulary(corpus: Corpus, start: StartVectors, random: Random): Vocabulary {
  const counts = countWords(corpus);
  const known = (word: string) => Object.hasOwn(start.vectors, word);
  const frequent = [...counts]
    .filter(
      ([word, count]) =>
        /^[a-z0-9]+$/.test(word) && (known(word) ? count >= MIN_COUNT : count >= 2 * MIN_COUNT),
    )
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([word]) => word);
  const common = start.words.filter((word) => /^[a-z]{2,}$/.test(word)).slice(0, COMMON_WORDS);
  const words = [...new Set([...frequent, ...common])].slice(0, MOST_WORDS).sort();
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const weights = Float32Array.from(words, (word) => {
    const share = (counts.get(word) ?? 1) / all;
    return COMMON_SHARE / (COMMON_SHARE + share);
  });
  return {
    words,
    numbers: new Map(words.map((word, number) => [word, number])),
    vectors: startVectors(words, start, random),
    weights,
  };
}

function countWords({ documents, pairs }: Corpus): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (bag: Bag) => {
    for (const word of bag.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
  };
  for (const document of documents) count(document);
  for (const { left } of pairs) count(left);
  return counts;
}

/** Without what all words have in common, and each of length 1; random where there is none. */
function startVectors(words: readonly string[], start: StartVectors, random: Random): Float32Array {
  const { dimensions } = start;
  const vectors = new Float32Array(words.length * dimensions);
  const mean = new Float64Array(dimensions);
  words.forEach((word, number) => {
    const given = Object.hasOwn(start.vectors, word) ? start.vectors[word] : undefined;
    for (let at = 0; at < dimensions; at++) {
      const value = given?.[at] ?? (random.next() - 0.5) * 0.5;
      vectors[number * dimensions + at] = value;
      mean[at] = (mean[at] ?? 0) + value / words.length;
    }
  });
  for (let row = 0; row < words.length; row++) {
    let squares = 0;
    for (let at = 0; at < dimensions; at++) {
      const value = (vectors[row * dimensions + at] ?? 0) - (mean[at] ?? 0);
      vectors[row * dimensions + at] = value;
      squares += value * value;
    }
    const length = Math.sqrt(squares) || 1;
    for (let at = 0; at < dimensions; at++) {
      vectors[row * dimensions + at] = (vectors[row * dimensions + at] ?? 0) / length;
    }
  }
  return vectors;
}
