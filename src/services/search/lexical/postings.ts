const FIRST_BLOCK = 2;
const LARGEST_BLOCK = 1_024;
/** A block is [start of the next block, room, postings …]. */
const HEAD = 2;
/** Blocks live in pieces of this many numbers; one large array would have to be copied whole whenever it grows. */
const PIECE_BITS = 16;
const PIECE = 1 << PIECE_BITS;
const FIRST_PIECE = 1 << 12;

/**
 * For each term the documents that have it, each with how much it has of it (1 to 255). The number of a
 * document has 24 bits. Lists are chains of blocks that grow: 100,000 small arrays would cost more than what is in them.
 */
export class Postings {
  readonly #pieces = [new Uint32Array(FIRST_PIECE)];
  /** The start of the next block; 0 means none. */
  #next = 1;
  /** Free blocks, by their room: the first one, which leads to the next. */
  readonly #unused = new Map<number, number>();
  #first = new Uint32Array(1 << 8);
  #last = new Uint32Array(1 << 8);
  /** Number of postings in the last block of each term. */
  #filled = new Uint16Array(1 << 8);
  #count = new Uint32Array(1 << 8);

  /** Capacity in numbers. */
  get room(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Number of documents entered for a term, including those removed since. */
  countOf(term: number): number {
    return this.#count[term] ?? 0;
  }

  /** Enters a document for a term. */
  add(term: number, document: number, impact: number): void {
    if (term >= this.#first.length) this.#makeRoomForTerm(term);
    let block = this.#last[term] ?? 0;
    let filled = this.#filled[term] ?? 0;
    const room = block === 0 ? 0 : this.#roomOf(block);
    if (filled === room) {
      const next = this.#newBlock(block === 0 ? FIRST_BLOCK : Math.min(room * 2, LARGEST_BLOCK));
      if (block === 0) this.#first[term] = next;
      else this.#pieceOf(block)[block % PIECE] = next;
      this.#last[term] = next;
      block = next;
      filled = 0;
    }
    this.#pieceOf(block)[(block % PIECE) + HEAD + filled] = ((document << 8) | impact) >>> 0;
    this.#filled[term] = filled + 1;
    this.#count[term] = (this.#count[term] ?? 0) + 1;
  }

  /** Adds `weight` times the impact to the score of each document of a term, and notes those that had none. */
  accumulate(term: number, weight: number, scores: Scores): void {
    const { numbers, visible, touched } = scores;
    let count = scores.count;
    for (const postings of this.#blocksOf(term)) {
      for (let at = 0; at < postings.length; at++) {
        const posting = postings[at] as number;
        const document = posting >>> 8;
        if (visible[document] !== 1) continue;
        const before = numbers[document] as number;
        if (before === 0) touched[count++] = document;
        numbers[document] = before + weight * (posting & 255);
      }
    }
    scores.count = count;
  }

  /** The same, but only for documents that have a score already. */
  reinforce(term: number, weight: number, { numbers }: Scores): void {
    for (const postings of this.#blocksOf(term)) {
      for (let at = 0; at < postings.length; at++) {
        const posting = postings[at] as number;
        const before = numbers[posting >>> 8] as number;
        if (before !== 0) numbers[posting >>> 8] = before + weight * (posting & 255);
      }
    }
  }

  /** Number of documents of a term in `visible`. */
  countVisible(term: number, visible: Uint8Array): number {
    let count = 0;
    for (const postings of this.#blocksOf(term)) {
      for (let at = 0; at < postings.length; at++) {
        if (visible[(postings[at] as number) >>> 8] === 1) count++;
      }
    }
    return count;
  }

  /** The postings of a term as they are kept: document times 256 plus impact. */
  of(term: number): Uint32Array {
    const all = new Uint32Array(this.countOf(term));
    let length = 0;
    for (const postings of this.#blocksOf(term)) {
      all.set(postings, length);
      length += postings.length;
    }
    return all;
  }

  /** Forgets the documents of one term that are gone; its unused blocks become free. */
  sweep(term: number, isGone: (document: number) => boolean): void {
    const kept = this.of(term).filter((posting) => !isGone(posting >>> 8));
    if (kept.length === this.countOf(term)) return;
    let block = this.#first[term] ?? 0;
    let filled = 0;
    for (const posting of kept) {
      if (filled === this.#roomOf(block)) {
        block = this.#pieceOf(block)[block % PIECE] ?? 0;
        filled = 0;
      }
      this.#pieceOf(block)[(block % PIECE) + HEAD + filled++] = posting;
    }
    this.#giveBack(this.#pieceOf(block)[block % PIECE] ?? 0);
    this.#pieceOf(block)[block % PIECE] = 0;
    this.#last[term] = block;
    this.#filled[term] = filled;
    this.#count[term] = kept.length;
  }

  *#blocksOf(term: number): Iterable<Uint32Array> {
    const last = this.#last[term] ?? 0;
    for (let block = this.#first[term] ?? 0; block !== 0; ) {
      const piece = this.#pieceOf(block);
      const at = block % PIECE;
      const filled = block === last ? (this.#filled[term] ?? 0) : (piece[at + 1] ?? 0);
      yield piece.subarray(at + HEAD, at + HEAD + filled);
      block = block === last ? 0 : (piece[at] ?? 0);
    }
  }

  #pieceOf(block: number): Uint32Array {
    return this.#pieces[block >>> PIECE_BITS] as Uint32Array;
  }

  #roomOf(block: number): number {
    return this.#pieceOf(block)[(block % PIECE) + 1] ?? 0;
  }

  /** Takes a block and all that follow it. */
  #giveBack(from: number): void {
    for (let block = from; block !== 0; ) {
      const piece = this.#pieceOf(block);
      const next = piece[block % PIECE] ?? 0;
      const room = this.#roomOf(block);
      piece[block % PIECE] = this.#unused.get(room) ?? 0;
      this.#unused.set(room, block);
      block = next;
    }
  }

  #newBlock(room: number): number {
    const unused = this.#unused.get(room) ?? 0;
    if (unused === 0) return this.#addBlock(room);
    const piece = this.#pieceOf(unused);
    this.#unused.set(room, piece[unused % PIECE] ?? 0);
    piece[unused % PIECE] = 0;
    return unused;
  }

  /** A block lies within one piece. The first piece grows, for most registries need no more. */
  #addBlock(room: number): number {
    const size = HEAD + room;
    if ((this.#next % PIECE) + size > PIECE || this.#next >>> PIECE_BITS === this.#pieces.length) {
      this.#next = this.#pieces.length * PIECE;
      this.#pieces.push(new Uint32Array(PIECE));
    }
    const start = this.#next;
    const [first] = this.#pieces;
    if (first && start < PIECE && start + size > first.length)
      this.#pieces[0] = grown(first, new Uint32Array(Math.min(PIECE, first.length * 2)));
    this.#next += size;
    this.#pieceOf(start)[(start % PIECE) + 1] = room;
    return start;
  }

  #makeRoomForTerm(term: number): void {
    const length = Math.max(term + 1, this.#first.length * 2);
    this.#first = grown(this.#first, new Uint32Array(length));
    this.#last = grown(this.#last, new Uint32Array(length));
    this.#filled = grown(this.#filled, new Uint16Array(length));
    this.#count = grown(this.#count, new Uint32Array(length));
  }
}

function grown<Numbers extends Uint32Array | Uint16Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

/** The scores of one query. Its arrays are used again by the next: new ones would keep the collector busy. */
export class Scores {
  numbers = new Float32Array(0);
  /** The documents with a score, the first `count` of them. */
  touched = new Uint32Array(0);
  count = 0;
  /** 1 for each document that may have a score. */
  visible: Uint8Array = new Uint8Array(0);

  /** Forgets the last query. */
  start(visible: Uint8Array, documents: number): void {
    if (this.numbers.length < documents) {
      this.numbers = new Float32Array(Math.ceil(documents * 1.25));
      this.touched = new Uint32Array(this.numbers.length);
    } else this.numbers.fill(0);
    this.visible = visible;
    this.count = 0;
  }
}
