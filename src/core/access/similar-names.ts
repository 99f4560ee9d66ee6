import { MAX_NAME_LENGTH } from "../model/index.ts";

/** Up to this many names are all compared; of more, only those with a third in common. */
const FEW = 100;
/** Candidates taken per common third, and in total. */
const MAX_ALIKE = 12;
const MAX_CANDIDATES = 50;
/** Maximum difference in length of names with the same beginning or end. */
const MAX_LONGER = 5;
/** Maximum shift of the middle third. */
const MAX_MOVED = 2;

/**
 * Names to search for a mistyped one. The few that are worth comparing are found by a third of theirs
 * that was not mistyped, so that a hundred thousand names cost hardly more than a hundred.
 */
export class SimilarNames {
  readonly #count: number;
  readonly #thirds: HashTable | undefined;

  /** The part before `start` is the same in all names, and does not count. */
  constructor(names: readonly string[], start = 0) {
    this.#count = names.length;
    if (names.length > FEW) this.#thirds = thirdsOf(names, start);
  }

  /** The ids of names that a word in plain form may mean, and of many that it does not. */
  candidates(plain: string): Iterable<number> {
    if (!this.#thirds) return Array(this.#count).keys();
    const found = new Set<number>();
    for (const hash of hashesFor(plain)) {
      for (const id of this.#thirds.find(hash, MAX_ALIKE)) found.add(id);
      if (found.size >= MAX_CANDIDATES) break;
    }
    return found;
  }
}

function thirdsOf(names: readonly string[], start: number): HashTable {
  const thirds = new HashTable(names.length * 3);
  const letters = new Uint8Array(MAX_NAME_LENGTH);
  names.forEach((name, id) => {
    const length = putPlainLetters(name, start, letters);
    for (let third = 0; third < 3; third++) thirds.add(hashOf(letters, boundsOf(third, length), third), id);
  });
  return thirds.sort();
}

/** Every third that a name like this one could have, those of the most likely names first. */
function* hashesFor(plain: string): Iterable<number> {
  const letters = codesOf(plain);
  const { length } = letters;
  for (let longer = 0; longer <= MAX_LONGER; longer++) {
    for (const other of longer === 0 ? [length] : [length - longer, length + longer]) {
      for (let third = 0; third < 3; third++) {
        const { start, end } = boundsOf(third, other);
        const size = end - start;
        for (const moved of movesOf(third, length - other)) {
          const from = start + moved;
          const fits = size > 0 && from >= 0 && from + size <= length;
          if (fits) yield hashOf(letters, { start: from, end: from + size, of: other }, third);
        }
      }
    }
  }
}

/** Possible shifts of a third in a longer word: the first stays at the start, the last at the end. */
function movesOf(third: number, longer: number): readonly number[] {
  if (third === 0) return [0];
  if (third === 2) return [longer];
  return Math.abs(longer) <= MAX_MOVED ? MOVES : [];
}

const MOVES = [0, -1, 1, -MAX_MOVED, MAX_MOVED];

/** A part of a word of `of` letters. */
interface Bounds {
  readonly start: number;
  readonly end: number;
  readonly of: number;
}

function boundsOf(third: number, length: number): Bounds {
  return {
    start: Math.floor((length * third) / 3),
    end: Math.floor((length * (third + 1)) / 3),
    of: length,
  };
}

/** FNV-1a, 32 bit. Names that share a hash by chance are compared, and found to differ. */
function hashOf(letters: ArrayLike<number>, { start, end, of }: Bounds, salt: number): number {
  let hash = Math.imul(0x811c9dc5 ^ (of * 4 + salt), 0x01000193);
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (letters[at] as number), 0x01000193);
  return hash >>> 0;
}

/** Hashes of the last segments of names, however those are spelt. */
export function hashesOfWords(names: readonly string[]): HashTable {
  const words = new HashTable(names.length);
  const letters = new Uint8Array(MAX_NAME_LENGTH);
  names.forEach((name, id) => {
    const end = putPlainLetters(name, name.lastIndexOf("/") + 1, letters);
    words.add(hashOf(letters, { start: 0, end, of: 0 }, WORD), id);
  });
  return words.sort();
}

/** The hash of a word in plain form, as `hashesOfWords` has it. */
export function hashOfWord(plain: string): number {
  return hashOf(codesOf(plain), { start: 0, end: plain.length, of: 0 }, WORD);
}

/** Tells the hashes of words from those of thirds. */
const WORD = 3;
const [UNDERSCORE, DOT, DASH, UPPER_A, UPPER_Z] = [..."_.-AZ"].map((letter) => letter.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
];

/** Writes the plain form of a name; such names have no other letters than those of ASCII. Returns its length. */
function putPlainLetters(name: string, start: number, letters: Uint8Array): number {
  let length = 0;
  for (let at = start; at < name.length; at++) {
    const letter = name.charCodeAt(at);
    if (letter === UNDERSCORE || letter === DOT || letter === DASH) continue;
    letters[length++] = letter >= UPPER_A && letter <= UPPER_Z ? letter + 32 : letter;
  }
  return length;
}

function codesOf(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

const NONE: readonly number[] = [];

/** A million ids: as many as fit into a number together with a hash. */
const IDS = 2 ** 20;

/** The bit of a hash in a filter. */
export function filterBitOf(hash: number): { readonly word: number; readonly bit: number } {
  return { word: hash % FILTER_WORDS, bit: 1 << (hash >>> 27) };
}

/** Size of the filter, in words of 32 bits, that quickly rules out hashes. */
export const FILTER_WORDS = 32;

/** Ids by hash, in eight bytes each; a map of lists would take a hundred. */
export class HashTable {
  /** One bit for each hash in the table, shared with others that map to it. */
  readonly filter = new Uint32Array(FILTER_WORDS);
  readonly #pairs: Float64Array;
  #size = 0;

  constructor(most: number) {
    this.#pairs = new Float64Array(most);
  }

  /** Adds an id; ids of a million and more are left out. */
  add(hash: number, id: number): void {
    if (id >= IDS) return;
    this.#pairs[this.#size++] = hash * IDS + id;
    const { word, bit } = filterBitOf(hash);
    this.filter[word] = (this.filter[word] as number) | bit;
  }

  /** Call after the last `add` and before the first `find`. */
  sort(): this {
    this.#pairs.subarray(0, this.#size).sort();
    return this;
  }

  /** The ids of a hash, smallest first. */
  find(hash: number, most: number): readonly number[] {
    const first = hash * IDS;
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#pairs[middle] as number) < first) low = middle + 1;
      else high = middle;
    }
    if (!((this.#pairs[low] as number) < first + IDS) || low === this.#size) return NONE;
    const found: number[] = [];
    for (let at = low; at < this.#size && found.length < most; at++) {
      const id = (this.#pairs[at] as number) - first;
      if (id >= IDS) break;
      found.push(id);
    }
    return found;
  }
}
