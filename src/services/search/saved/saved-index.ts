import { createHash } from "node:crypto";
import type { Steps } from "../../../core/index.ts";
import type { WeighedTerms } from "../lexical/index.ts";

/** Changes whenever a document would be weighed or embedded in another way than before. */
const FORMAT = 3;
const MAGIC = "pinhole search index";
const CHECKSUM_BYTES = 32;
/** Length of the head, and as much again for later. */
const START_BYTES = CHECKSUM_BYTES + 8;
/** So much is checked in one step. */
const CHUNK_BYTES = 1 << 16;
const NEW_LINE = 0x0a;

/** What is kept of a document: what it took time to work out. */
export interface SavedDocument {
  /** Sixteen plain letters. */
  readonly hash: string;
  readonly terms: WeighedTerms;
  readonly vector: Int8Array | undefined;
}

/** An index as it is written into a file. */
export interface IndexContent {
  /** Which word vectors were used, or that none were. */
  readonly model: string;
  readonly words: readonly string[];
  /** Their terms are places in `words`. */
  readonly documents: readonly SavedDocument[];
}

/** The documents of a file, by the hash of their content. */
export interface SavedIndex {
  /** How many words there are. */
  readonly words: number;
  wordAt(place: number): string;
  find(hash: string): SavedDocument | undefined;
}

/** The bytes of an index: a checksum, a head as JSON, then all texts and numbers. */
export function* writeIndex({ model, words, documents }: IndexContent): Steps<Uint8Array> {
  const sizes = {
    words: words.length,
    wordBytes: 0,
    documents: documents.length,
    terms: 0,
    dimensions: documents[0]?.vector?.length ?? 0,
  };
  for (const word of words) {
    sizes.wordBytes += Buffer.byteLength(word) + 1;
    yield;
  }
  for (const { terms } of documents) {
    sizes.terms += terms.terms.length;
    yield;
  }
  const head = Buffer.from(JSON.stringify({ magic: MAGIC, format: FORMAT, model, ...sizes }));
  const layout = layoutOf(START_BYTES + head.length, sizes);
  const bytes = Buffer.alloc(layout.end);
  bytes.writeUInt32LE(head.length, CHECKSUM_BYTES);
  bytes.set(head, START_BYTES);
  let at = layout.words;
  for (const word of words) {
    at += bytes.write(word, at);
    bytes[at++] = NEW_LINE;
    yield;
  }
  let before = 0;
  for (const [place, document] of documents.entries()) {
    writeDocument(document, { bytes, layout, place, before, dimensions: sizes.dimensions });
    before += document.terms.terms.length;
    yield;
  }
  bytes.set(yield* checksumOf(bytes));
  return bytes;
}

/** Reads the bytes of an index; undefined where they are damaged, of another version or of other word vectors. */
export function* parseIndex(given: Uint8Array, model: string): Steps<SavedIndex | undefined> {
  if (given.length < START_BYTES) return undefined;
  // Numbers of four bytes must lie at multiples of four.
  const { buffer, byteOffset, byteLength } = given.byteOffset % 4 === 0 ? given : new Uint8Array(given);
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (!(yield* checksumOf(bytes)).equals(bytes.subarray(0, CHECKSUM_BYTES))) return undefined;
  const headEnd = START_BYTES + bytes.readUInt32LE(CHECKSUM_BYTES);
  const head = JSON.parse(bytes.toString("utf8", START_BYTES, headEnd));
  if (head.magic !== MAGIC || head.format !== FORMAT || head.model !== model) return undefined;

  const layout = layoutOf(headEnd, head);
  const wordStarts = new Uint32Array(head.words + 1);
  for (let word = 0, at = layout.words; word < head.words; word++) {
    wordStarts[word] = at;
    at = bytes.indexOf(NEW_LINE, at) + 1;
    wordStarts[word + 1] = at;
    yield;
  }
  const termsBefore = new Uint32Array(head.documents + 1);
  const places = new Map<string, number>();
  for (let place = 0; place < head.documents; place++) {
    const at = layout.hashes + place * 16;
    places.set(bytes.toString("latin1", at, at + 16), place);
    termsBefore[place + 1] = (termsBefore[place] ?? 0) + bytes.readUInt32LE(layout.lengths + place * 4);
    yield;
  }
  const terms = new Uint32Array(buffer, byteOffset + layout.terms, head.terms);
  const impacts = new Uint8Array(buffer, byteOffset + layout.impacts, head.terms);
  const vectors = new Int8Array(buffer, byteOffset + layout.vectors, head.documents * head.dimensions);
  return {
    words: head.words,
    wordAt: (place) => bytes.toString("utf8", wordStarts[place] ?? 0, (wordStarts[place + 1] ?? 1) - 1),
    find(hash) {
      const place = places.get(hash);
      if (place === undefined) return undefined;
      const start = termsBefore[place] ?? 0;
      const end = termsBefore[place + 1] ?? 0;
      const vectorAt = place * head.dimensions;
      return {
        hash,
        terms: { terms: terms.subarray(start, end), impacts: impacts.subarray(start, end) },
        vector: head.dimensions === 0 ? undefined : vectors.subarray(vectorAt, vectorAt + head.dimensions),
      };
    },
  };
}

function writeDocument(
  { hash, terms: { terms, impacts }, vector }: SavedDocument,
  into: {
    readonly bytes: Buffer;
    readonly layout: Layout;
    readonly place: number;
    /** How many terms all documents before have. */
    readonly before: number;
    readonly dimensions: number;
  },
): void {
  const { bytes, layout, place, before, dimensions } = into;
  bytes.write(hash, layout.hashes + place * 16, "latin1");
  bytes.writeUInt32LE(terms.length, layout.lengths + place * 4);
  new Uint32Array(bytes.buffer, bytes.byteOffset + layout.terms + before * 4, terms.length).set(terms);
  bytes.set(impacts, layout.impacts + before);
  if (vector) {
    const numbers = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    bytes.set(numbers, layout.vectors + place * dimensions);
  }
}

function* checksumOf(bytes: Uint8Array): Steps<Buffer> {
  const hash = createHash("sha256");
  for (let at = CHECKSUM_BYTES; at < bytes.length; at += CHUNK_BYTES)
    yield void hash.update(bytes.subarray(at, at + CHUNK_BYTES));
  return hash.digest();
}

/** How much there is of everything in a file. */
interface Sizes {
  readonly wordBytes: number;
  readonly documents: number;
  /** Of all documents together. */
  readonly terms: number;
  readonly dimensions: number;
}

/** Where each part of a file starts, in bytes. */
interface Layout {
  readonly words: number;
  readonly hashes: number;
  readonly lengths: number;
  readonly terms: number;
  readonly impacts: number;
  readonly vectors: number;
  readonly end: number;
}

/** Puts the parts of a file one after the other. */
export function layoutOf(start: number, { wordBytes, documents, terms, dimensions }: Sizes): Layout {
  // Numbers of four bytes must lie at multiples of four.
  const hashes = Math.ceil((start + wordBytes) / 4) * 4;
  const lengths = hashes + 16 * documents;
  const termsAt = lengths + 4 * documents;
  const impacts = termsAt + 4 * terms;
  const vectors = impacts + terms;
  return {
    words: start,
    hashes,
    lengths,
    terms: termsAt,
    impacts,
    vectors,
    end: vectors + documents * dimensions,
  };
}
