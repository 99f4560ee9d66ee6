import type { FieldWords } from "../text/index.ts";
import { type Bag, bagOf, bagOfQuery } from "./bag.ts";
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
  /** How nearly a document means the same: at most 1. */
  likeness(document: number): number;
}

/** What documents mean. */
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
