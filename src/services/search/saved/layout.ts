/** How much there is of everything in a file. */
export interface Sizes {
  readonly wordBytes: number;
  readonly documents: number;
  /** Of all documents together. */
  readonly terms: number;
  readonly dimensions: number;
}

/** Where each part of a file starts, in bytes. */
export interface Layout {
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
