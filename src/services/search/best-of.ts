import type { Scores } from "./lexical/index.ts";
import { Smallest } from "./smallest.ts";

const STEPS = 1_024;

/** The best documents, in no order, and how many have a score at all. */
export interface BestOf {
  readonly best: readonly number[];
  readonly total: number;
}

/** What is wanted of the scores. */
export interface Wanted {
  readonly most: number;
  /** No score is above this. */
  readonly highest: number;
  /** Where set, only documents that pass count. */
  readonly passes: ((document: number) => boolean) | undefined;
  /** Of equals the first by name are taken, so that pages hold together and nothing depends on who came first. */
  readonly nameOf: (document: number) => string;
}

/**
 * The documents with the best scores. It counts how many have which score and then takes those above the
 * line; a heap takes twice as long.
 */
export function bestOf({ numbers, touched, count }: Scores, wanted: Wanted): BestOf {
  const { most, highest, passes } = wanted;
  const scale = (STEPS - 1) / (highest || 1);
  const steps = new Uint32Array(STEPS);
  let total = 0;
  for (let at = 0; at < count; at++) {
    const document = touched[at] as number;
    if (passes !== undefined && !passes(document)) {
      numbers[document] = 0;
      continue;
    }
    touched[total++] = document;
    const step = ((numbers[document] as number) * scale) | 0;
    steps[step] = (steps[step] as number) + 1;
  }
  let line = STEPS;
  for (let above = 0; line > 0 && above < most; ) above += steps[--line] as number;
  const best: number[] = [];
  for (let at = 0; at < total; at++) {
    const document = touched[at] as number;
    if ((((numbers[document] as number) * scale) | 0) >= line) best.push(document);
  }
  return { best: best.length > most ? cut(best, numbers, wanted) : best, total };
}

/** Very many may be equal, so they are not sorted by name but looked through once. */
function cut(best: readonly number[], scores: Float32Array, { most, nameOf }: Wanted): readonly number[] {
  const scoreOf = (document: number) => scores[document] as number;
  const line = Float32Array.from(best, scoreOf).sort()[best.length - most] as number;
  const above = best.filter((document) => scoreOf(document) > line);
  const equals = new Smallest(most - above.length, nameOf);
  for (const document of best) if (scoreOf(document) === line) equals.add(document);
  return [...above, ...equals.sorted()];
}
