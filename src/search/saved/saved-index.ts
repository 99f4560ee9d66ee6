import { createHash } from "node:crypto";
import type { WeighedTerms } from "../lexical/index.ts";

/** Changes whenever a document would be weighed or embedded in another way than before. */
const FORMAT = 1;
const MAGIC = "pinhole search index";
const HASH_BYTES = 32;

/** What is kept of a document: what it took time to work out. */
export interface SavedDocument {
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
  readonly words: readonly string[];
  find(hash: string): SavedDocument | undefined;
}

/** The bytes of an index: a checksum, a head as JSON, then all numbers. */
export function writeIndex({ model, words, documents }: IndexContent): Uint8Array {
  const head = JSON.stringify({
    magic: MAGIC,
    format: FORMAT,
    model,
    words: words.join("\n"),
    hashes: documents.map(({ hash }) => hash).join(""),
    lengths: documents.map(({ terms }) => terms.terms.length),
    dimensions: documents[0]?.vector?.length ?? 0,
  });
  const length = Buffer.byteLength(head);
  const start = Buffer.alloc(8);
  start.writeUInt32LE(length);
  const parts: Uint8Array[] = [start, Buffer.alloc(Math.ceil(length / 4) * 4, head)];
  Buffer.from(head).copy(parts[1] as Buffer);
  for (const { terms } of documents) parts.push(new Uint8Array(terms.terms.slice().buffer));
  for (const { terms } of documents) parts.push(terms.impacts);
  for (const { vector } of documents) if (vector) parts.push(new Uint8Array(vector.slice().buffer));
  const body = Buffer.concat(parts);
  return Buffer.concat([createHash("sha256").update(body).digest(), body]);
}

/** Reads the bytes of an index; undefined where they are damaged, of another version or of other word vectors. */
export function parseIndex(bytes: Uint8Array, model: string): SavedIndex | undefined {
  if (bytes.length < HASH_BYTES + 8) return undefined;
  const body = bytes.subarray(HASH_BYTES);
  if (!createHash("sha256").update(body).digest().equals(bytes.subarray(0, HASH_BYTES))) return undefined;
  const length = Buffer.from(body.buffer, body.byteOffset, 4).readUInt32LE();
  const head = JSON.parse(Buffer.from(body.buffer, body.byteOffset + 8, length).toString());
  if (head.magic !== MAGIC || head.format !== FORMAT || head.model !== model) return undefined;

  const { buffer } = new Uint8Array(body.subarray(8 + Math.ceil(length / 4) * 4));
  const lengths: readonly number[] = head.lengths;
  const total = lengths.reduce((sum, each) => sum + each, 0);
  const places = new Map<string, { readonly at: number; readonly start: number; readonly count: number }>();
  let start = 0;
  lengths.forEach((count, at) => {
    places.set(head.hashes.slice(at * 16, at * 16 + 16), { at, start, count });
    start += count;
  });
  return {
    words: head.words.split("\n"),
    find(hash) {
      const place = places.get(hash);
      if (!place) return undefined;
      return {
        hash,
        terms: {
          terms: new Uint32Array(buffer, place.start * 4, place.count),
          impacts: new Uint8Array(buffer, total * 4 + place.start, place.count),
        },
        vector:
          head.dimensions === 0
            ? undefined
            : new Int8Array(buffer, total * 5 + place.at * head.dimensions, head.dimensions),
      };
    },
  };
}
