import type { Entry } from "../../core/index.ts";
import { impactOf, MOST_TIMES, type QueryTerm, shareOf } from "./lexical/index.ts";
import { FIELDS, type Field, fieldsOf, stem, wordsOfFields } from "./text/index.ts";

/** A word of the query in one part of an operation, and what it was worth. */
export interface WordScore {
  readonly word: string;
  /** The word that was found for it, where it is another. */
  readonly found: string;
  readonly field: Field;
  readonly points: number;
}

/** Words and parts of an operation that gave it its rank. For operators: callers never see scores. */
export interface Explanation {
  readonly name: string;
  readonly score: number;
  /** What all words together were worth. */
  readonly lexical: number;
  /** How near the meaning is, from 0 to 1. */
  readonly dense: number;
  readonly words: readonly WordScore[];
}

/** Says which words of a query an operation has, where, and what each was worth, the most first. */
export function explainWords(
  terms: readonly QueryTerm[],
  { registration, source }: Entry,
  termOf: (term: number) => string,
): readonly WordScore[] {
  const words = wordsOfFields(fieldsOf(registration.spec, source));
  const stems = FIELDS.map((field) => ({ field, stems: words[field].map(stem) }));
  const scores = terms.flatMap(({ word, term, weight }) => {
    const found = termOf(term);
    const parts = stems.flatMap(({ field, stems: all }) => {
      const times = Math.min(MOST_TIMES, all.filter((each) => each === found).length);
      return times === 0 ? [] : [{ field, sum: times * shareOf(field, all.length) }];
    });
    const sum = parts.reduce((all, part) => all + part.sum, 0);
    const points = (weight * impactOf(sum)) / 255;
    return parts.map((part) => ({ word, found, field: part.field, points: (points * part.sum) / sum }));
  });
  return scores.sort((a, b) => b.points - a.points);
}
