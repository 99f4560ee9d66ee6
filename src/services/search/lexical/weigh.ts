import { FIELDS, type Field, type FieldWords } from "../text/index.ts";
import type { Dictionary } from "./dictionary.ts";

/** Weight of a field, the penalty for its length, and its usual length in words. */
interface FieldWeight {
  readonly weight: number;
  readonly lengthMatters: number;
  readonly usualLength: number;
}

/** Tuned on the training sets with all distractors in; see docs/search.md. */
const WEIGHTS: Readonly<Record<Field, FieldWeight>> = {
  name: { weight: 4, lengthMatters: 0.6, usualLength: 3 },
  namespace: { weight: 0.7, lengthMatters: 0.3, usualLength: 2 },
  title: { weight: 1, lengthMatters: 0.5, usualLength: 4 },
  description: { weight: 1, lengthMatters: 0.7, usualLength: 20 },
  parameters: { weight: 0.45, lengthMatters: 0.6, usualLength: 8 },
  parameterText: { weight: 0.35, lengthMatters: 0.7, usualLength: 40 },
  values: { weight: 0.4, lengthMatters: 0.7, usualLength: 8 },
  tags: { weight: 0.8, lengthMatters: 0.5, usualLength: 3 },
  source: { weight: 0.4, lengthMatters: 0.5, usualLength: 12 },
};

/** Saturation of repeated words. */
const SATURATION = 1.2;

/** Cap on term frequency, against keyword stuffing. */
export const MOST_TIMES = 3;

/** A term of a document with how much the document has of it, 1 to 255. */
export interface WeighedTerms {
  readonly terms: ArrayLike<number>;
  readonly impacts: ArrayLike<number>;
}

/**
 * The fielded BM25 of one document, without the part that depends on other documents. Usual lengths are
 * constants, so the weight of a document does not depend on others (decision 014).
 */
export function weigh(words: FieldWords, dictionary: Dictionary): WeighedTerms {
  const sums = new Map<number, number>();
  for (const field of FIELDS) {
    const share = shareOf(field, words[field].length);
    const times = new Map<number, number>();
    for (const word of words[field]) {
      const number = dictionary.enterWord(word);
      const before = times.get(number) ?? 0;
      if (before === MOST_TIMES) continue;
      times.set(number, before + 1);
      sums.set(number, (sums.get(number) ?? 0) + share);
    }
  }
  return { terms: [...sums.keys()], impacts: Array.from(sums.values(), impactOf) };
}

/** Share of one occurrence in a field of this many words. */
export function shareOf(field: Field, length: number): number {
  const { weight, lengthMatters, usualLength } = WEIGHTS[field];
  return weight / (1 - lengthMatters + (lengthMatters * length) / usualLength);
}

/** Impact of the sum of all occurrences, 1 to 255. */
export function impactOf(sum: number): number {
  return Math.max(1, Math.round((255 * sum) / (SATURATION + sum)));
}
