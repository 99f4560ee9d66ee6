import { createDistance } from "../../../core/index.ts";
import { isUnspaced } from "../text/index.ts";
import { type Dictionary, differingLetters, lettersOf } from "./dictionary.ts";

const MAX_EXPANSIONS = 6;
const PREFIX_SHARE = 0.7;
const COMPOUND_SHARE = 0.6;
const TYPO_SHARE = 0.5;
const MIN_PREFIX = 3;
const MAX_ENDING = 12;
const MIN_COMPOUND = 5;
const MIN_TYPO = 3;
const MIN_MEANT = 4;
/** From this length on two slips are forgiven. */
const LONG = 8;

/** A term that matches a word of a query, and its share of the word's weight. */
export interface Expansion {
  readonly term: number;
  readonly share: number;
  /** Number of documents that have it. */
  readonly count: number;
}

/**
 * Terms for a word that no document has: those that it begins (`repo` for repository), those that are one
 * slip away, those that begin it (German compounds). Only terms that `countOf` has documents for count.
 */
export function expand(
  word: string,
  dictionary: Dictionary,
  countOf: (term: number) => number,
): readonly Expansion[] {
  if (isUnspaced(word) || word.length < MIN_PREFIX || /[0-9]/.test(word)) return [];
  const inUse = (terms: readonly number[], share: number): readonly Expansion[] =>
    byName(terms, dictionary)
      .map((term) => ({ term, share, count: countOf(term) }))
      .filter(({ count }) => count > 0)
      .slice(0, MAX_EXPANSIONS);
  const begun = inUse(longerWords(word, dictionary), PREFIX_SHARE);
  if (begun.length > 0) return begun;
  const slips = inUse(mistypedWords(word, dictionary), TYPO_SHARE);
  if (slips.length > 0) return slips;
  return inUse(shorterWords(word, dictionary), COMPOUND_SHARE).slice(-1);
}

function longerWords(word: string, dictionary: Dictionary): readonly number[] {
  const found: number[] = [];
  for (let length = word.length + 1; length <= word.length + MAX_ENDING; length++) {
    for (const term of dictionary.group(word.slice(0, 1), length)) {
      if (dictionary.termOf(term).startsWith(word)) found.push(term);
    }
  }
  return found;
}

function mistypedWords(word: string, dictionary: Dictionary): readonly number[] {
  if (word.length < MIN_TYPO) return [];
  const slips = word.length < LONG ? 1 : 2;
  const editsTo = createDistance(word);
  const isSlip = (other: string) => editsTo(other, slips) <= slips;
  const letters = lettersOf(word);
  const found: number[] = [];
  for (let length = word.length - slips; length <= word.length + slips; length++) {
    for (const term of dictionary.group(word.slice(0, 1), length)) {
      // A slip changes two letters at most, and one more may be the e of below: far quicker to see.
      if (differingLetters(letters, dictionary.lettersOf(term)) > 2 * slips + 1) continue;
      const meant = dictionary.termOf(term);
      // Stems lose their last e, and a slip can keep it.
      if (meant.length >= MIN_MEANT && (isSlip(meant) || isSlip(`${meant}e`))) found.push(term);
    }
  }
  return found;
}

function shorterWords(word: string, dictionary: Dictionary): readonly number[] {
  const found: number[] = [];
  for (let length = MIN_COMPOUND; length < word.length; length++) {
    const term = dictionary.find(word.slice(0, length));
    if (term !== undefined) found.push(term);
  }
  return found;
}

/** Short ones first: they add the least to the query. */
function byName(terms: readonly number[], dictionary: Dictionary): readonly number[] {
  const text = (term: number) => dictionary.termOf(term);
  return terms.toSorted((a, b) => text(a).length - text(b).length || (text(a) < text(b) ? -1 : 1));
}
