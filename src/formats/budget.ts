import { isRecord, type UnknownRecord } from "../core/index.ts";

const MIB = 2 ** 20;
const MOST_MIB = 16;
/** An object with more properties is a hash table: to list its names takes far longer, so that it is done once. */
const LARGE = 100;

/** Limits of work on a value. */
interface BudgetOptions {
  /** The value that the work is about: a large one may take the same again for each MiB beyond the first. */
  readonly value: unknown;
  readonly steps: number;
  /** Creates the error to throw when the budget is used up. */
  readonly exceeded: () => Error;
}

/** A budget of steps. Everything that takes time or memory spends from it. */
export class Budget {
  readonly #options: BudgetOptions;
  #left: number;
  #isExtended = false;
  readonly #largeKeys = new Map<UnknownRecord, string[]>();

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#left = options.steps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#extend();
  }

  /** The names of an object's properties. The list may be shared, so it must not be changed. */
  keysOf(record: UnknownRecord): readonly string[] {
    const known = this.#largeKeys.get(record);
    const keys = known ?? Object.keys(record);
    const isLarge = keys.length > LARGE;
    if (isLarge) this.#largeKeys.set(record, keys);
    this.spend(2 + keys.length * (isLarge ? (known ? 3 : 5) : 2));
    return keys;
  }

  /** The size is measured late: most work ends before it matters. */
  #extend(): void {
    const { value, steps, exceeded } = this.#options;
    if (!this.#isExtended) {
      this.#isExtended = true;
      this.#left += steps * (Math.max(1, this.#mebibytesOf(value)) - 1);
    }
    if (this.#left < 0) throw exceeded();
  }

  /** The least that a value can take as JSON; counting stops at the most that matters. */
  #mebibytesOf(value: unknown): number {
    let bytes = 0;
    const open: object[] = [];
    const count = (part: unknown) => {
      if (typeof part === "object" && part !== null) open.push(part);
      else bytes += typeof part === "string" ? part.length + 3 : 2;
    };
    count(value);
    for (let part = open.pop(); part && bytes < MOST_MIB * MIB; part = open.pop()) {
      bytes += 3;
      if (Array.isArray(part)) for (const item of part) count(item);
      else if (isRecord(part))
        for (const key of this.#largeKeys.get(part) ?? Object.keys(part)) {
          bytes += key.length + 3;
          count(part[key]);
        }
    }
    return Math.min(bytes / MIB, MOST_MIB);
  }
}
