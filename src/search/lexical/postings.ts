import type { Scores } from "./scores.ts";

const FIRST_BLOCK = 2;
const LARGEST_BLOCK = 1_024;
/** A block is [number of the next block's start, room, postings …]. */
const HEAD = 2;

/**
 * For each term the documents that have it, each with how much it has of it (1 to 255). The number of a
 * document has 24 bits. All lists live in one array, as chains of blocks that grow: 100,000 small arrays would cost more than what is in them.
 */
export class Postings {
  #pool = new Uint32Array(1 << 12);
  #used = 1;
  #first = new Uint32Array(1 << 8);
  #last = new Uint32Array(1 << 8);
  /** How many postings the last block of a term has. */
  #filled = new Uint16Array(1 << 8);
  #count = new Uint32Array(1 << 8);

  /** How many documents were entered for a term, those that went since included. */
  countOf(term: number): number {
    return this.#count[term] ?? 0;
  }

  /** Enters a document for a term. */
  add(term: number, document: number, impact: number): void {
    if (term >= this.#first.length) this.#makeRoomForTerm(term);
    let block = this.#last[term] ?? 0;
    let filled = this.#filled[term] ?? 0;
    const room = block === 0 ? 0 : (this.#pool[block + 1] ?? 0);
    if (filled === room) {
      const next = this.#newBlock(block === 0 ? FIRST_BLOCK : Math.min(room * 2, LARGEST_BLOCK));
      if (block === 0) this.#first[term] = next;
      else this.#pool[block] = next;
      this.#last[term] = next;
      block = next;
      filled = 0;
    }
    this.#pool[block + HEAD + filled] = ((document << 8) | impact) >>> 0;
    this.#filled[term] = filled + 1;
    this.#count[term] = (this.#count[term] ?? 0) + 1;
  }

  /** Adds `weight` times the impact to the score of each document of a term, and notes those that had none. */
  accumulate(term: number, weight: number, scores: Scores): void {
    const { numbers, visible, touched } = scores;
    const pool = this.#pool;
    const last = this.#last[term] ?? 0;
    let count = scores.count;
    for (let block = this.#first[term] ?? 0; block !== 0; block = pool[block] as number) {
      const start = block + HEAD;
      const end = start + (block === last ? (this.#filled[term] as number) : (pool[block + 1] as number));
      for (let at = start; at < end; at++) {
        const posting = pool[at] as number;
        const document = posting >>> 8;
        if (visible[document] !== 1) continue;
        const before = numbers[document] as number;
        if (before === 0) touched[count++] = document;
        numbers[document] = before + weight * (posting & 255);
      }
      if (block === last) break;
    }
    scores.count = count;
  }

  /** The same, but only for documents that have a score already. */
  reinforce(term: number, weight: number, { numbers }: Scores): void {
    const pool = this.#pool;
    const last = this.#last[term] ?? 0;
    for (let block = this.#first[term] ?? 0; block !== 0; block = pool[block] as number) {
      const start = block + HEAD;
      const end = start + (block === last ? (this.#filled[term] as number) : (pool[block + 1] as number));
      for (let at = start; at < end; at++) {
        const posting = pool[at] as number;
        const before = numbers[posting >>> 8] as number;
        if (before !== 0) numbers[posting >>> 8] = before + weight * (posting & 255);
      }
      if (block === last) break;
    }
  }

  /** How many documents of a term are in `visible`. */
  countVisible(term: number, visible: Uint8Array): number {
    let count = 0;
    for (const posting of this.of(term)) if (visible[posting >>> 8] === 1) count++;
    return count;
  }

  /** The postings of a term as they are kept: document times 256 plus impact. */
  of(term: number): Uint32Array {
    const all = new Uint32Array(this.countOf(term));
    let length = 0;
    const last = this.#last[term] ?? 0;
    for (let block = this.#first[term] ?? 0; block !== 0; block = this.#pool[block] ?? 0) {
      const room = block === last ? (this.#filled[term] ?? 0) : (this.#pool[block + 1] ?? 0);
      all.set(this.#pool.subarray(block + HEAD, block + HEAD + room), length);
      length += room;
      if (block === last) break;
    }
    return all.subarray(0, length);
  }

  /** Forgets the documents of one term that are gone; their room stays with the term. */
  sweep(term: number, isGone: (document: number) => boolean): void {
    const kept = this.of(term).filter((posting) => !isGone(posting >>> 8));
    if (kept.length === this.countOf(term)) return;
    let block = this.#first[term] ?? 0;
    let filled = 0;
    for (const posting of kept) {
      if (filled === this.#pool[block + 1]) {
        block = this.#pool[block] ?? 0;
        filled = 0;
      }
      this.#pool[block + HEAD + filled++] = posting;
    }
    // What follows the new last block is lost until the index is made anew; it is bounded by what was swept.
    this.#pool[block] = 0;
    this.#last[term] = block;
    this.#filled[term] = filled;
    this.#count[term] = kept.length;
  }

  #newBlock(room: number): number {
    const start = this.#used;
    this.#used += HEAD + room;
    if (this.#used > this.#pool.length) {
      const larger = new Uint32Array(Math.max(this.#used, Math.ceil(this.#pool.length * 1.5)));
      larger.set(this.#pool);
      this.#pool = larger;
    }
    this.#pool[start + 1] = room;
    return start;
  }

  #makeRoomForTerm(term: number): void {
    const length = Math.max(term + 1, this.#first.length * 2);
    this.#first = grown(this.#first, new Uint32Array(length));
    this.#last = grown(this.#last, new Uint32Array(length));
    this.#filled = grown(this.#filled, new Uint16Array(length));
    this.#count = grown(this.#count, new Uint32Array(length));
  }
}

function grown<Numbers extends Uint32Array | Uint16Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
