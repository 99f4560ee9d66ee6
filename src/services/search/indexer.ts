import type { Steps } from "../../core/index.ts";
import { type Entry, lastSegmentOf, type Source } from "../../core/index.ts";
import type { Audiences } from "./audiences.ts";
import type { DenseIndex } from "./dense/index.ts";
import type { Documents } from "./documents.ts";
import type { Follower } from "./index-updater.ts";
import type { LexicalIndex } from "./lexical/index.ts";
import { contentHash, type SavedIndex } from "./saved/index.ts";
import { fieldsOf, wordsOfFields } from "./text/index.ts";

/** Numbers that are free but still in lists are tidied up once there are this many, and this share of all. */
const MANY_GONE = 500;
const GONE_SHARE = 0.2;

/** What an indexer works on. */
interface IndexerParts {
  readonly documents: Documents;
  readonly audiences: Audiences;
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex | undefined;
  readonly saved: SavedIndex | undefined;
  /** Told of each document that had to be worked out, because no saved one was there. */
  readonly onNew: () => void;
}

/** Does to the index what happened to the registry, one operation at a time. */
export class Indexer implements Follower {
  readonly #parts: IndexerParts;
  /** Saved words in the numbers of this index, plus one; 0 where that was not asked yet. */
  readonly #translated: Uint32Array;
  #gone: number[] = [];

  constructor(parts: IndexerParts) {
    this.#parts = parts;
    this.#translated = new Uint32Array(parts.saved?.words ?? 0);
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
      // Half an entry would be found by half of its words.
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

  /** Sweeps the lists of all words; then the numbers of what is gone can be given again. */
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
    const { lexical, dense, saved, onNew } = this.#parts;
    const texts = fieldsOf(registration.spec, source);
    const known = saved?.find(contentHash(texts));
    if (known) {
      const terms = Array.from(known.terms.terms, (word) => this.#translate(word));
      lexical.add(document, { terms, impacts: known.terms.impacts });
      if (known.vector) dense?.vectors.set(document, known.vector);
      return;
    }
    const words = wordsOfFields(texts);
    lexical.add(document, lexical.weigh(words));
    dense?.add(document, words);
    onNew();
  }

  #translate(word: number): number {
    const { saved, lexical } = this.#parts;
    const known = this.#translated[word] ?? 0;
    if (known > 0) return known - 1;
    const term = lexical.dictionary.enter(saved?.wordAt(word) ?? "");
    this.#translated[word] = term + 1;
    return term;
  }
}
