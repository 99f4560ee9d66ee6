import type { Scores } from "./lexical/index.ts";

const STEPS = 1_024;

/** The best documents, in no order, and how many have a score at all. */
interface BestOf {
  readonly best: readonly number[];
  readonly total: number;
}

/** Options of bestOf. */
interface Wanted {
  readonly most: number;
  /** No score is above this. */
  readonly highest: number;
  /** If set, only documents that pass count. */
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

/** Many may have equal scores, so they are scanned once instead of sorted by name. */
function cut(best: readonly number[], scores: Float32Array, { most, nameOf }: Wanted): readonly number[] {
  const scoreOf = (document: number) => scores[document] as number;
  const line = Float32Array.from(best, scoreOf).sort()[best.length - most] as number;
  const above = best.filter((document) => scoreOf(document) > line);
  const equals = new Smallest(most - above.length, nameOf);
  for (const document of best) if (scoreOf(document) === line) equals.add(document);
  return [...above, ...equals.sorted()];
}

/** Keeps the few of many that come first by name, so that the many need not be sorted. */
export class Smallest<Item> {
  readonly #most: number;
  readonly #nameOf: (item: Item) => string;
  #items: Item[] = [];
  /** Nothing from here on can be among the first; undefined until there are enough. */
  #line: string | undefined;

  constructor(most: number, nameOf: (item: Item) => string) {
    this.#most = most;
    this.#nameOf = nameOf;
  }

  /** True if an item may be among the first. */
  wants(item: Item): boolean {
    return this.#line === undefined || this.#nameOf(item) < this.#line;
  }

  /** Takes an item in. */
  add(item: Item): void {
    if (!this.wants(item)) return;
    this.#items.push(item);
    // Cut now and then: most items do not pass the line, so this is seldom.
    if (this.#items.length >= 2 * this.#most) this.#cut();
  }

  /** The first of all that were taken in, in order. */
  sorted(): readonly Item[] {
    this.#cut();
    return this.#items;
  }

  #cut(): void {
    this.#items.sort((a, b) => (this.#nameOf(a) < this.#nameOf(b) ? -1 : 1));
    this.#items = this.#items.slice(0, this.#most);
    const last = this.#items.at(-1);
    if (last !== undefined && this.#items.length === this.#most) this.#line = this.#nameOf(last);
  }
}
