/**
 * Cache of recently used values by key, in two maps of at most `size` each. When the recent map is full it becomes the
 * older one, and values that were not used meanwhile are dropped. Unlike a map in order of use, it does not get slower
 * the more it holds.
 */
export class RecentMap<Key, Value> {
  readonly #size: number;
  #recent = new Map<Key, Value>();
  #older: ReadonlyMap<Key, Value> = new Map();

  constructor(size: number) {
    this.#size = Math.max(1, size);
  }

  /** The value of a key, made if it is not kept. */
  get(key: Key, make: () => Value): Value {
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const value = this.#older.get(key) ?? make();
    if (this.#recent.size >= this.#size) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
    return value;
  }
}
