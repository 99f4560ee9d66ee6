import { FIELDS, type Field, type FieldWords, isUnspaced, STOP_WORDS, wordsOf } from "../text/index.ts";
import type { WordVectors } from "./model.ts";
import { Vectors } from "./vectors.ts";

/** A query as a direction, to compare documents with. */
export interface DenseQuery {
  /** About the `most` documents that mean most nearly the same, in no order. */
  nearest(
    visible: Uint8Array,
    most: number,
    passes: ((document: number) => boolean) | undefined,
  ): readonly number[];
  /** Similarity of a document in meaning: at most 1. */
  likeness(document: number): number;
}

/** Vectors of documents: their meaning. */
export class DenseIndex {
  readonly model: WordVectors;
  readonly vectors: Vectors;
  /** Used again for each text: new ones would keep the collector busy. */
  readonly #sum: Float32Array;

  constructor(model: WordVectors) {
    this.model = model;
    this.vectors = new Vectors(model.dimensions);
    this.#sum = new Float32Array(model.dimensions);
  }

  /** Enters a document. */
  add(document: number, words: FieldWords): void {
    this.vectors.set(document, this.#embed(bagOf(words)));
  }

  /** Reads a query; undefined where none of its words means anything to the model. */
  read(query: string): DenseQuery | undefined {
    const vector = this.#embed(bagOfQuery(query));
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (length === 0) return undefined;
    const unit = vector.map((value) => value / length);
    return {
      nearest: (visible, most, passes) => this.vectors.nearest(unit, { visible, most, passes }),
      likeness: (document) => this.vectors.likeness(unit, document),
    };
  }

  #embed(bag: Bag): Float32Array {
    const sum = this.#sum.fill(0);
    for (const [word, times] of bag) this.model.addTo(sum, word, times);
    return sum;
  }
}

/** Weight of each part of an operation for its meaning. */
const SHARES: Readonly<Record<Field, number>> = {
  name: 1.5,
  namespace: 0.5,
  title: 0.8,
  description: 2,
  parameters: 0.6,
  parameterText: 0.5,
  values: 0.2,
  tags: 0.6,
  source: 0.5,
};
const MAX_WORDS = 60;
const MAX_QUERY = 4_000;

/** Words with how much each counts; their order means nothing. */
export type Bag = ReadonlyMap<string, number>;

/** The words of an operation. A long text counts more than a short one, but not by as much as it is longer. */
export function bagOf(fields: FieldWords): Bag {
  const bag = new Map<string, number>();
  for (const field of FIELDS) {
    addWords(bag, meaningful(fields[field]), SHARES[field]);
  }
  return bag;
}

/** The words of a query. */
export function bagOfQuery(query: string): Bag {
  const bag = new Map<string, number>();
  addWords(bag, meaningful(wordsOf(query.slice(0, MAX_QUERY))), 1);
  return bag;
}

function addWords(bag: Map<string, number>, words: ReadonlySet<string>, share: number): void {
  if (words.size === 0) return;
  const each = share / Math.sqrt(words.size);
  for (const word of words) bag.set(word, (bag.get(word) ?? 0) + each);
}

function meaningful(all: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const word of all) {
    if (word.length < 2 || STOP_WORDS.has(word) || isDigit(word) || isUnspaced(word)) continue;
    words.add(word);
    if (words.size === MAX_WORDS) break;
  }
  return words;
}

function isDigit(word: string): boolean {
  const code = word.charCodeAt(0);
  return code >= 0x30 && code <= 0x39;
}
