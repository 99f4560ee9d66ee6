import { isRecord } from "../../core/index.ts";
import type { Budget } from "../budget.ts";
import { isEqual } from "../equal.ts";

/** Its own in each process, so that values of equal hashes cannot be prepared. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0;
const PRIME = 0x01000193;

/**
 * At most so many values that all differ; objects with the same properties in another order are equal. Finding a value takes
 * as long as reading it. A table of its own, because a Map takes most of the time where there are many small values.
 */
export class DistinctValues {
  readonly #values: unknown[] = [];
  readonly #hashes: Int32Array;
  /** Index of a value in `#values`, plus one. */
  readonly #slots: Int32Array;

  constructor(most: number) {
    this.#hashes = new Int32Array(most);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2)));
  }

  /** Adds a value unless there is an equal one. Returns its number, in the order in which they were added. */
  add(value: unknown, budget: Budget): number {
    const { slot, hash, number } = this.#find(value, budget);
    if (number !== undefined) return number;
    this.#hashes[this.#values.length] = hash;
    this.#slots[slot] = this.#values.push(value);
    return this.#values.length - 1;
  }

  has(value: unknown, budget: Budget): boolean {
    return this.#values.length > 0 && this.#find(value, budget).number !== undefined;
  }

  #find(value: unknown, budget: Budget): { slot: number; hash: number; number?: number } {
    const hash = hashOf(value, budget);
    const last = this.#slots.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number < 0) return { slot, hash };
      if (this.#hashes[number] === hash && isEqual(value, this.#values[number], budget))
        return { slot, hash, number };
    }
  }
}

function hashOf(value: unknown, budget: Budget): number {
  budget.spend(1);
  if (typeof value === "number") return hashOfNumber(value);
  if (typeof value === "string") return hashOfText(value, budget);
  if (Array.isArray(value)) {
    let hash = SEED ^ value.length;
    for (const item of value) hash = mix(hash, hashOf(item, budget));
    return hash;
  }
  if (!isRecord(value)) return mix(SEED, value === null ? 1 : value === true ? 2 : 3);
  let hash = SEED;
  // Sums do not depend on the order.
  for (const key of budget.keysOf(value))
    hash = (hash + mix(hashOfText(key, budget), hashOf(value[key], budget))) | 0;
  return hash;
}

const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);

function hashOfNumber(value: number): number {
  // 0 and -0 are equal.
  number[0] = value + 0;
  return mix(mix(SEED, halves[0] ?? 0), halves[1] ?? 0);
}

function hashOfText(text: string, budget: Budget): number {
  budget.spend(text.length / 16);
  let hash = SEED;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash;
}

/** The last steps of MurmurHash3: every bit of both depends on every bit of the result. */
function mix(hash: number, part: number): number {
  let mixed = Math.imul(hash, 31) ^ part;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
