/** Vectors per piece: a single array would be copied whole whenever it grows. */
const PIECE = 1_024;
/** The first numbers of a vector tell the most; a first look takes only these. */
const FIRST = 16;
const AT_ONCE = 8;
const STEPS = 2_048;
/** The first look keeps this many times what is wanted, for it is not exact. */
const SLACK = 3;

const NOTHING = new Int8Array(0);

/** The vectors of documents, each number in a byte. */
export class Vectors {
  readonly #dimensions: number;
  readonly #pieces: Int8Array[] = [];
  /** The first numbers once more, all first ones together, all second ones together: read fast one after the other. */
  #columns = Array.from({ length: FIRST }, () => new Int8Array(0));
  /** Scale of each vector; 0 if there is none. */
  #scales = new Float32Array(0);
  #rough = new Float32Array(0);
  #sums = new Int32Array(0);

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  /** Stores the vector of a document; only its direction counts, not its length. */
  set(document: number, vector: ArrayLike<number>): void {
    this.#makeRoom(document);
    let most = 0;
    for (let at = 0; at < this.#dimensions; at++) most = Math.max(most, Math.abs(vector[at] ?? 0));
    const whole = this.#bytesOf(document);
    let squares = 0;
    for (let at = 0; at < this.#dimensions; at++) {
      const byte = most === 0 ? 0 : Math.round(((vector[at] ?? 0) / most) * 127);
      whole[at] = byte;
      const column = this.#columns[at];
      if (column) column[document] = byte;
      squares += byte * byte;
    }
    this.#scales[document] = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  }

  #bytesOf(document: number): Int8Array {
    const start = (document % PIECE) * this.#dimensions;
    return this.#pieceOf(document).subarray(start, start + this.#dimensions);
  }

  /** The cosine of the angle between a vector of length 1 and that of a document. */
  likeness(query: Float32Array, document: number): number {
    const piece = this.#pieceOf(document);
    const start = (document % PIECE) * this.#dimensions;
    let sum = 0;
    for (let at = 0; at < this.#dimensions; at++)
      sum += (query[at] as number) * (piece[start + at] as number);
    return sum * (this.#scales[document] ?? 0);
  }

  /** About the `most` documents that are nearest, in no order. */
  nearest(
    query: Float32Array,
    {
      visible,
      most,
      passes,
    }: {
      readonly visible: Uint8Array;
      readonly most: number;
      readonly passes: ((document: number) => boolean) | undefined;
    },
  ): readonly number[] {
    const end = Math.min(visible.length, this.#scales.length);
    const rough = this.#lookRoughly(query, visible, end);
    const bar = lineOf(rough, end, most * SLACK);
    const found: number[] = [];
    for (let document = 0; document < end; document++) {
      if ((rough[document] as number) < bar) continue;
      if (passes === undefined || passes(document)) found.push(document);
    }
    return found;
  }

  /** The similarity by the first numbers alone, for all documents; 0 or less without a vector. */
  #lookRoughly(query: Float32Array, visible: Uint8Array, end: number): Float32Array {
    if (this.#rough.length < end) {
      this.#rough = new Float32Array(this.#scales.length);
      this.#sums = new Int32Array(this.#scales.length);
    }
    const most = query.reduce((so, value) => Math.max(so, Math.abs(value)), 0) || 1;
    const whole = Int32Array.from(query.subarray(0, FIRST), (value) => Math.round((value / most) * 127));
    const sums = this.#sums.fill(0);
    for (let at = 0; at < FIRST; at += AT_ONCE) addColumns(sums, this.#columns, { query: whole, at, end });
    const rough = this.#rough;
    const scales = this.#scales;
    const scale = most / 127;
    for (let document = 0; document < end; document++) {
      const seen = visible[document] as number;
      rough[document] = seen * (sums[document] as number) * scale * (scales[document] as number);
    }
    return rough;
  }

  #pieceOf(document: number): Int8Array {
    return this.#pieces[Math.floor(document / PIECE)] ?? NOTHING;
  }

  #makeRoom(document: number): void {
    while (this.#pieces.length * PIECE <= document)
      this.#pieces.push(new Int8Array(PIECE * this.#dimensions));
    if (document < this.#scales.length) return;
    const length = Math.max(64, Math.ceil((document + 1) * 1.25));
    this.#columns = this.#columns.map((column) => grown(column, new Int8Array(length)));
    this.#scales = grown(this.#scales, new Float32Array(length));
  }
}

/**
 * The likeness above which about so many of the documents lie; always more than 0. All are counted: a sample would
 * depend on what lies between those that may be seen.
 */
function lineOf(rough: Float32Array, end: number, wanted: number): number {
  const steps = new Uint32Array(STEPS);
  for (let document = 0; document < end; document++) {
    const value = rough[document] as number;
    if (value <= 0) continue;
    const step = value >= 1 ? STEPS - 1 : (value * STEPS) | 0;
    steps[step] = (steps[step] as number) + 1;
  }
  let line = STEPS;
  for (let above = 0; line > 1 && above < wanted; ) above += steps[--line] as number;
  return line / STEPS;
}

/** Written out, because this is where the time of a query goes: 100,000 documents times 16 numbers. */
function addColumns(
  sums: Int32Array,
  columns: readonly Int8Array[],
  { query, at, end }: { readonly query: Int32Array; readonly at: number; readonly end: number },
): void {
  const [c0, c1, c2, c3, c4, c5, c6, c7] = columns.slice(at, at + AT_ONCE) as unknown as EightColumns;
  const [q0, q1, q2, q3, q4, q5, q6, q7] = query.subarray(at, at + AT_ONCE) as unknown as EightNumbers;
  for (let i = 0; i < end; i++) {
    const low =
      Math.imul(q0, c0[i] as number) +
      Math.imul(q1, c1[i] as number) +
      Math.imul(q2, c2[i] as number) +
      Math.imul(q3, c3[i] as number);
    const high =
      Math.imul(q4, c4[i] as number) +
      Math.imul(q5, c5[i] as number) +
      Math.imul(q6, c6[i] as number) +
      Math.imul(q7, c7[i] as number);
    sums[i] = ((sums[i] as number) + low + high) | 0;
  }
}

type EightColumns = readonly [
  Int8Array,
  Int8Array,
  Int8Array,
  Int8Array,
  Int8Array,
  Int8Array,
  Int8Array,
  Int8Array,
];
type EightNumbers = readonly [number, number, number, number, number, number, number, number];

function grown<Numbers extends Int8Array | Float32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
