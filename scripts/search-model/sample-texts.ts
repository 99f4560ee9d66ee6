import type { Bag } from "../../src/services/search/dense/dense-index.ts";
import type { Vocabulary } from "./vocabulary.ts";

const MOST = 8_000;

/** The vectors of some texts, each of length 1: what the axes are chosen for. */
export function sampleTexts(
  documents: readonly Bag[],
  { numbers, vectors, weights, words }: Vocabulary,
): Float32Array[] {
  const d = vectors.length / words.length;
  const step = Math.max(1, Math.floor(documents.length / MOST));
  return documents
    .filter((_, at) => at % step === 0)
    .map((bag) => {
      const sum = new Float32Array(d);
      for (const [word, times] of bag) {
        const number = numbers.get(word);
        if (number === undefined) continue;
        const share = times * (weights[number] as number);
        for (let k = 0; k < d; k++) sum[k] = (sum[k] as number) + share * (vectors[number * d + k] as number);
      }
      const length = Math.hypot(...sum) || 1;
      return sum.map((value) => value / length);
    });
}
