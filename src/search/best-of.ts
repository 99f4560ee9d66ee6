import type { Scores } from "./lexical/index.ts";

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
}

/**
 * The documents with the best scores. It counts how many have which score and then takes those above the
 * line; a heap takes twice as long.
 */
export function bestOf({ numbers, touched, count }: Scores, { most, highest, passes }: Wanted): BestOf {
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
  return { best: best.length > most ? cut(best, numbers, most) : best, total };
}

function cut(best: number[], scores: Float32Array, most: number): readonly number[] {
  best.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
  return best.slice(0, most);
}
