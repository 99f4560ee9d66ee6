import { stem } from "../text/index.ts";

/** Numbers for words: every form of a word has the number of its stem. */
export class Dictionary {
  readonly #forms = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  readonly #terms: string[] = [];
  readonly #letters: number[] = [];
  /** By first letter and length, so that words like another are looked for among few. */
  readonly #groups = new Map<string, number[]>();

  /** Number of different stems. */
  get size(): number {
    return this.#terms.length;
  }

  /** The stem of a number. */
  termOf(number: number): string {
    return this.#terms[number] ?? "";
  }

  /** The letters of the stem of a number, as bits. */
  lettersOf(number: number): number {
    return this.#letters[number] ?? 0;
  }

  /** The number of a stem, if the dictionary has it. */
  find(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** The number of a stem, which is new or not. */
  enter(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#terms.push(term) - 1;
    this.#numbers.set(term, number);
    this.#letters.push(lettersOf(term));
    const key = groupKey(term.slice(0, 1), term.length);
    const group = this.#groups.get(key);
    if (group) group.push(number);
    else this.#groups.set(key, [number]);
    return number;
  }

  /** The number of a word in any form. */
  enterWord(word: string): number {
    const known = this.#forms.get(word);
    if (known !== undefined) return known;
    const number = this.enter(stem(word));
    this.#forms.set(word, number);
    return number;
  }

  /** The numbers of all stems with this first letter and this length. */
  group(letter: string, length: number): readonly number[] {
    return this.#groups.get(groupKey(letter, length)) ?? [];
  }
}

function groupKey(letter: string, length: number): string {
  return `${letter}${length}`;
}

/** Number of letter buckets; letters in the same bucket count as equal. */
const LETTERS = 30;

/** The letters of a word, as bits: similar words have nearly the same. */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) % LETTERS);
  return bits;
}

/** Number of letters that only one of two words has. */
export function differingLetters(one: number, other: number): number {
  let count = 0;
  for (let bits = one ^ other; bits !== 0; bits &= bits - 1) count++;
  return count;
}
