const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A longer text is searched for its end: most large values are one long text. */
const SHORT_TEXT = 32;
/** Most shapes that the objects of a JSON text of up to 1 MiB may have; a larger text may have as many for each MiB. */
const MAX_SHAPES = 10_000;
/** Most lists and objects, likewise. A list of points has about 80,000 in a MiB. */
const MAX_CONTAINERS = 150_000;
/** A key without a letter, its value and what comes after it. */
const SMALLEST_MEMBER = 5;
const MIB = 2 ** 20;
/** The deepest level at which the keys of an object are told from those of its neighbours. */
const SHAPED_LEVELS = 500;

/** The reason why a JSON text is not parsed. */
interface JsonTextProblem {
  readonly kind: "depth" | "shapes" | "containers";
  /** The rest of a sentence about the text. */
  readonly says: string;
  /** A sentence for its sender. */
  readonly advice: string;
}

/**
 * Finds what makes a JSON text too costly to parse, in one pass over its characters.
 *
 * A shape is a sequence of keys from the first of an object on. To the engine each new one is a class of objects, which
 * costs a hundred times what one more object of a known class does: an object of 50,000 keys has 50,000 shapes, a list of
 * 50,000 like objects has as many as they have keys (decision 069).
 */
export function problemOfJsonText(text: string, maxNesting: number): JsonTextProblem | undefined {
  // Every bracket that opens must close, or the text is not JSON.
  if (text.length <= 2 * Math.min(maxNesting, SHAPED_LEVELS)) return undefined;
  const mebibytes = Math.max(1, text.length / MIB);
  const maxShapes = Math.floor(MAX_SHAPES * mebibytes);
  const maxContainers = Math.floor(MAX_CONTAINERS * mebibytes);
  const counts = text.length > SMALLEST_MEMBER * maxShapes;
  const shapes = new Numbers(counts ? maxShapes : 0);
  const shapeAt = new Int32Array(Math.min(maxNesting, SHAPED_LEVELS) + 1);
  let depth = 0;
  let containers = 0;
  let keyStart = 0;
  let keyEnd = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      keyStart = index;
      index = endOfQuoted(text, index);
      if (index < 0) return undefined;
      keyEnd = index;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > maxNesting) return tooDeep(maxNesting);
      if (++containers > maxContainers) return tooMany(maxContainers);
      if (depth < shapeAt.length) shapeAt[depth] = SEED;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--;
    else if (code === COLON && counts) {
      let shape = shapeAt[depth] ?? SEED;
      for (let at = keyStart; at < keyEnd; at++) shape = Math.imul(shape ^ text.charCodeAt(at), FNV_PRIME);
      shapeAt[depth] = shape;
      if (!shapes.add(shape)) return tooVaried(maxShapes);
    }
  }
  return undefined;
}

function tooDeep(maxNesting: number): JsonTextProblem {
  return { kind: "depth", says: `is nested deeper than ${maxNesting} levels`, advice: "Send it flatter." };
}

function tooVaried(maxShapes: number): JsonTextProblem {
  return {
    kind: "shapes",
    says: `has objects with more than ${maxShapes} different keys, or orders of keys`,
    advice: "Send a list of items that have the same keys in the same order, or several calls.",
  };
}

function tooMany(maxContainers: number): JsonTextProblem {
  return {
    kind: "containers",
    says: `has more than ${maxContainers} lists and objects`,
    advice: "Send it in several calls, or fewer and larger items.",
  };
}

/** A set of at most so many numbers. Half the time of a Set, which would be half the time of the pass. */
class Numbers {
  readonly #slots: Int32Array;
  #free: number;

  constructor(most: number) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2)));
    this.#free = most;
  }

  /** False where there is no room for one more. */
  add(number: number): boolean {
    const slots = this.#slots;
    const last = slots.length - 1;
    // An empty slot is 0.
    const entry = number || 1;
    let slot = entry & last;
    while (slots[slot] !== 0 && slots[slot] !== entry) slot = (slot + 1) & last;
    if (slots[slot] === entry) return true;
    slots[slot] = entry;
    return --this.#free >= 0;
  }
}

const FNV_PRIME = 0x01000193;
/** Its own in each process, so that texts of equal hashes cannot be prepared. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0;

function endOfQuoted(text: string, start: number): number {
  for (let end = start + 1; end <= start + SHORT_TEXT; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code === BACKSLASH) end++;
  }
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return -1;
}
