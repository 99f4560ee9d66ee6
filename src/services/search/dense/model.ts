import { readFile } from "node:fs/promises";
import type { Slices, Steps } from "../../../core/index.ts";

const MAGIC = 0x4d534850;
const VERSION = 1;
const HEAD_BYTES = 24;
/** A word that the model does not know is worth less than one that it does. */
const UNKNOWN_WEIGHT = 0.5;
const MOST_UNKNOWN = 4_096;

/** Vectors of words: what they mean, as numbers. */
export interface WordVectors {
  readonly dimensions: number;
  /** Adds the vector of a word, so many times, to a sum. */
  addTo(sum: Float32Array, word: string, times: number): void;
}

/** A model as it is written into its file. Word vectors have a length of their own, parts of words none. */
export interface ModelParts {
  readonly dimensions: number;
  readonly words: readonly string[];
  /** Scale of the bytes of each word's vector. */
  readonly scales: Float32Array;
  readonly vectors: Int8Array;
  readonly subwordScale: number;
  readonly subwords: Int8Array;
}

/** The file of the model that comes with the package. */
export const MODEL_FILE = new URL("./model.bin", import.meta.url);

/** Reads the word vectors that come with the package, in slices. */
export async function loadModel(slices: Slices): Promise<WordVectors> {
  return slices.run(createWordVectors(parseModel(await readFile(MODEL_FILE))));
}

/** Makes word vectors of the parts of a model. */
export function* createWordVectors(parts: ModelParts): Steps<WordVectors> {
  const { dimensions, words, scales, vectors, subwordScale, subwords } = parts;
  const numbers = new Map<string, number>();
  for (const word of words) yield void numbers.set(word, numbers.size);
  const unknown = new Map<string, Float32Array>();

  /** Unknown words come again and again within one source, and take many parts each. */
  function vectorOfUnknown(word: string): Float32Array {
    const known = unknown.get(word);
    if (known) return known;
    if (unknown.size === MOST_UNKNOWN) unknown.clear();
    const vector = new Float32Array(dimensions);
    const pieces = subwordsOf(word);
    const times = (UNKNOWN_WEIGHT * subwordScale) / pieces.length;
    for (const piece of pieces) add(vector, { from: subwords, start: piece * dimensions, times });
    unknown.set(word, vector);
    return vector;
  }

  return {
    dimensions,
    addTo(sum, word, times) {
      const number = numbers.get(word);
      if (number !== undefined) {
        add(sum, { from: vectors, start: number * dimensions, times: times * (scales[number] ?? 0) });
        return;
      }
      add(sum, { from: vectorOfUnknown(word), start: 0, times });
    },
  };
}

/** The bytes of a model's file. */
export function writeModel(parts: ModelParts): Uint8Array {
  const text = Buffer.from(parts.words.join("\n"), "latin1");
  const padded = Math.ceil(text.length / 4) * 4;
  const head = Buffer.alloc(HEAD_BYTES);
  [MAGIC, VERSION, parts.dimensions, parts.words.length, text.length].forEach((value, at) => {
    head.writeUInt32LE(value, at * 4);
  });
  head.writeFloatLE(parts.subwordScale, 20);
  const bytesOf = (array: Float32Array | Int8Array) =>
    Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return Buffer.concat([
    head,
    Buffer.concat([text], padded),
    bytesOf(parts.scales),
    bytesOf(parts.vectors),
    bytesOf(parts.subwords),
  ]);
}

/** Reads the bytes of a model's file. */
export function parseModel(given: Uint8Array): ModelParts {
  // A copy of its own, for numbers of four bytes must lie at multiples of four.
  const bytes = new Uint8Array(given).buffer;
  const head = new DataView(bytes);
  if (head.getUint32(0, true) !== MAGIC || head.getUint32(4, true) !== VERSION) {
    throw new Error("This is not a file of word vectors that this version can read. Make it anew.");
  }
  const dimensions = head.getUint32(8, true);
  const count = head.getUint32(12, true);
  const textLength = head.getUint32(16, true);
  const text = Buffer.from(bytes, HEAD_BYTES, textLength).toString("latin1");
  const scalesAt = HEAD_BYTES + Math.ceil(textLength / 4) * 4;
  const vectorsAt = scalesAt + 4 * count;
  const subwordsAt = vectorsAt + count * dimensions;
  return {
    dimensions,
    words: text.split("\n"),
    scales: new Float32Array(bytes, scalesAt, count),
    vectors: new Int8Array(bytes, vectorsAt, count * dimensions),
    subwordScale: head.getFloat32(20, true),
    subwords: new Int8Array(bytes, subwordsAt, BUCKETS * dimensions),
  };
}

function add(
  sum: Float32Array,
  {
    from,
    start,
    times,
  }: { readonly from: Int8Array | Float32Array; readonly start: number; readonly times: number },
): void {
  for (let at = 0; at < sum.length; at++) {
    sum[at] = (sum[at] as number) + times * (from[start + at] as number);
  }
}

/** Number of subword vectors, shared by the parts of all unknown words. */
export const BUCKETS = 4_096;

/** The numbers of the parts of a word: every three to five neighbouring letters, ends marked. */
export function subwordsOf(word: string): number[] {
  const marked = `<${word}>`;
  const parts: number[] = [];
  for (let length = 3; length <= 5; length++) {
    for (let start = 0; start + length <= marked.length; start++) {
      parts.push(hash(marked, start, start + length) % BUCKETS);
    }
  }
  return parts;
}

/** FNV-1a. */
function hash(text: string, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
