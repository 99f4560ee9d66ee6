import { type FieldWords, STOP_WORDS, stem, wordsOf } from "../text/index.ts";
import { Dictionary } from "./dictionary.ts";
import { type Expansion, expand } from "./expand.ts";
import { Postings, type Scores } from "./postings.ts";
import { type WeighedTerms, weigh } from "./weigh.ts";

/** Number of documents that is enough to choose the best from. */
const MANY = 20_000;

/** A word of a query with what it can add to a score. */
export interface QueryTerm {
  readonly word: string;
  readonly term: number;
  readonly weight: number;
  /** Number of documents that have it. */
  readonly count: number;
}

/** The documents that a caller sees, and their number. */
export interface VisibleDocuments {
  readonly visible: Uint8Array;
  readonly count: number;
  /** True where no document was left out, so that lists need not be counted. */
  readonly whole: boolean;
}

/** Words of documents with their weights. */
export class LexicalIndex {
  readonly dictionary = new Dictionary();
  readonly postings = new Postings();

  /** Weighs the words of a document. */
  weigh(words: FieldWords): WeighedTerms {
    return weigh(words, this.dictionary);
  }

  /** Enters a document. */
  add(document: number, { terms, impacts }: WeighedTerms): void {
    for (let at = 0; at < terms.length; at++) this.postings.add(terms[at] ?? 0, document, impacts[at] ?? 0);
  }

  /** Enters the last part of a document's name, so that a query for it finds the operation. */
  addName(document: number, name: string): void {
    this.postings.add(this.dictionary.enter(nameKey(name)), document, 1);
  }

  /** Documents whose name ends with this part, however it is spelt. */
  named(name: string): readonly number[] {
    const term = this.dictionary.find(nameKey(name));
    return term === undefined ? [] : [...this.postings.of(term)].map((posting) => posting >>> 8);
  }

  /** The words of a query and what each is worth among these documents: the rarer, the more. */
  read(query: string, crowd: VisibleDocuments): readonly QueryTerm[] {
    const terms: QueryTerm[] = [];
    for (const { word, times } of parseQuery(query)) {
      for (const { term, share, count } of this.#find(word, crowd)) {
        terms.push({ word, term, count, weight: share * times * rarity(count, crowd.count) });
      }
    }
    return terms;
  }

  /**
   * Adds up the scores for a query that was read, the rarest word first. Where very many documents have been
   * found, the words that are left only add to what was found: alone they could not win.
   */
  score(terms: readonly QueryTerm[], scores: Scores, enough = MANY): void {
    for (const { term, weight, count } of terms.toSorted((a, b) => b.weight - a.weight || a.term - b.term)) {
      if (scores.count > 0 && scores.count + count > enough)
        this.postings.reinforce(term, weight / 255, scores);
      else this.postings.accumulate(term, weight / 255, scores);
    }
  }

  /** The word itself where it is known, otherwise words like it. */
  #find(word: string, crowd: VisibleDocuments): readonly Expansion[] {
    const countOf = (term: number) =>
      crowd.whole ? this.postings.countOf(term) : this.postings.countVisible(term, crowd.visible);
    const term = this.dictionary.find(word);
    const count = term === undefined ? 0 : countOf(term);
    if (term !== undefined && count > 0) return [{ term, share: 1, count }];
    return expand(word, this.dictionary, countOf);
  }
}

/** No word of a text looks like this. */
function nameKey(name: string): string {
  return `=${name.toLowerCase().replaceAll(/[\s_.-]/g, "")}`;
}

function rarity(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

/** Longer queries are whole stories; their first words say enough. */
const MAX_LENGTH = 4_000;
const MAX_TERMS = 64;

/** A word of a query, stemmed, with how much it counts for being repeated. */
interface QueryWord {
  readonly word: string;
  readonly times: number;
}

/** The words of a query. Words without meaning count only where there are no others. */
function parseQuery(query: string): readonly QueryWord[] {
  const words = wordsOf(query.slice(0, MAX_LENGTH));
  const meaningful = words.filter((word) => !STOP_WORDS.has(word) && word.length > (isDigit(word) ? 0 : 1));
  const counts = new Map<string, number>();
  for (const word of meaningful.length > 0 ? meaningful : words) {
    const term = stem(word);
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return [...counts].slice(0, MAX_TERMS).map(([word, count]) => ({ word, times: 1 + Math.log(count) * 0.5 }));
}

function isDigit(word: string): boolean {
  return /^[0-9]/.test(word);
}
