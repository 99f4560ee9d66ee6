/** About 20 ns each on a busy machine, so that an expression takes some 20 ms of processor time at most. */
const STEPS = 1_000_000;
/** A larger output may take so many for each MiB of it; see decision 051. */
const MIB = 2 ** 20;
const MOST_MIB = 16;

/** Thrown where an expression takes more steps than it may. */
export class TooManySteps extends Error {
  constructor() {
    super(
      "it takes too many steps; narrow it: filter or slice the list first, take only the fields that you need, and leave out lists in lists such as map() over literals",
    );
  }
}

/** What one evaluation may still do. Every part of it that takes time, or makes something, spends from here. */
export class Budget {
  readonly #value: unknown;
  #left = STEPS;
  #isExtended = false;

  constructor(value: unknown) {
    this.#value = value;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#extend();
  }

  /** Most expressions are done long before anybody needs to know how large the output is. */
  #extend(): void {
    if (!this.#isExtended) {
      this.#isExtended = true;
      this.#left += STEPS * (Math.max(1, mebibytesOf(this.#value)) - 1);
    }
    if (this.#left < 0) throw new TooManySteps();
  }
}

/** Roughly the size of a value as JSON; counting stops at the most that matters. */
function mebibytesOf(value: unknown): number {
  let bytes = 0;
  const open = [value];
  while (open.length > 0 && bytes < MOST_MIB * MIB) {
    const part = open.pop();
    bytes += typeof part === "string" ? part.length + 2 : 4;
    if (Array.isArray(part)) for (const item of part) open.push(item);
    else if (typeof part === "object" && part !== null)
      for (const [key, inner] of Object.entries(part)) {
        bytes += key.length + 3;
        open.push(inner);
      }
  }
  return Math.min(bytes / MIB, MOST_MIB);
}
