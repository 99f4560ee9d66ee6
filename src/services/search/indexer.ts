import type { Steps } from "../../core/index.ts";
import { type Entry, lastSegmentOf, type Source } from "../../core/index.ts";
import type { Audiences } from "./audiences.ts";
import type { DenseIndex } from "./dense/index.ts";
import type { Documents } from "./documents.ts";
import type { Follower } from "./index-updater.ts";
import type { LexicalIndex } from "./lexical/index.ts";
import { fieldsOf, wordsOfFields } from "./text/index.ts";

/** Lists are swept once this many removed documents are still in them, and this share of all. */
const MANY_GONE = 500;
const GONE_SHARE = 0.2;

/** The parts of an index that an indexer keeps up to date. */
interface IndexerParts {
  readonly documents: Documents;
  readonly audiences: Audiences;
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex | undefined;
}

/** Applies changes of the registry to the index, one operation at a time. */
export class Indexer implements Follower {
  readonly #parts: IndexerParts;
  #gone: number[] = [];

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  put(entry: Entry): void {
    const { documents, audiences, lexical } = this.#parts;
    const { name } = entry.registration.spec;
    this.#remove(documents.find(name, entry.source.connection));
    const document = documents.add(entry);
    try {
      this.#enter(document, entry);
      lexical.addName(document, lastSegmentOf(name));
    } catch (error) {
      // An entry with only some of its words would be found by these alone.
      this.#remove(document);
      throw error;
    }
    for (const same of documents.numbersOf(name)) audiences.touch(same);
  }

  swap(entry: Entry): void {
    const { documents, audiences } = this.#parts;
    const document = documents.find(entry.registration.spec.name, entry.source.connection);
    if (document === undefined) {
      this.put(entry);
      return;
    }
    documents.swap(document, entry);
    audiences.touch(document);
  }

  take(name: string, source: Source): void {
    const { documents } = this.#parts;
    const document = documents.find(name, source.connection);
    if (document !== undefined && documents.entryOf(document)?.source.name === source.name)
      this.#remove(document);
  }

  policyChanged(): void {
    this.#parts.audiences.forget();
  }

  /** Sweeps the lists of all words; then the numbers of removed documents are free again. */
  *tidy(): Steps {
    const { documents, lexical } = this.#parts;
    while (this.#gone.length >= Math.max(MANY_GONE, documents.end * GONE_SHARE)) {
      const numbers = this.#gone;
      this.#gone = [];
      const gone = new Set<number>();
      for (const number of numbers) yield void gone.add(number);
      for (let term = 0; term < lexical.dictionary.size; term++)
        yield lexical.postings.sweep(term, (document) => gone.has(document));
      for (const number of numbers) yield documents.release(number);
    }
  }

  #remove(document: number | undefined): void {
    if (document === undefined) return;
    const { documents, audiences } = this.#parts;
    const name = documents.nameOf(document);
    documents.remove(document);
    this.#gone.push(document);
    for (const same of [document, ...documents.numbersOf(name)]) audiences.touch(same);
  }

  #enter(document: number, { registration, source }: Entry): void {
    const { lexical, dense } = this.#parts;
    const words = wordsOfFields(fieldsOf(registration.spec, source));
    lexical.add(document, lexical.weigh(words));
    dense?.add(document, words);
  }
}
