import { BUCKETS, subwordsOf } from "../../src/services/search/dense/model.ts";
import type { Random } from "./random.ts";

const EPOCHS = 6;
const RATE = 0.4;

/** Vectors of parts of words whose mean comes as near as it can to the vectors of the whole words. */
export function fitSubwords(
  words: readonly string[],
  vectors: Float32Array,
  { dimensions: d, random }: { readonly dimensions: number; readonly random: Random },
): Float32Array {
  const buckets = new Float32Array(BUCKETS * d);
  const parts = words.map(subwordsOf);
  const order = words.map((_, number) => number).filter((number) => (words[number] ?? "").length >= 4);
  const missing = new Float32Array(d);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (const number of random.shuffle(order)) {
      const pieces = parts[number] as number[];
      for (let k = 0; k < d; k++) {
        let mean = 0;
        for (const piece of pieces) mean += buckets[piece * d + k] as number;
        missing[k] = (vectors[number * d + k] as number) - mean / pieces.length;
      }
      for (const piece of pieces) {
        for (let k = 0; k < d; k++) {
          buckets[piece * d + k] =
            (buckets[piece * d + k] as number) + (RATE / (1 + epoch)) * (missing[k] as number);
        }
      }
    }
  }
  return buckets;
}
