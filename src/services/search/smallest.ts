/** Keeps the few of many that come first by name, so that the many need not be sorted. */
export class Smallest<Item> {
  readonly #most: number;
  readonly #nameOf: (item: Item) => string;
  #items: Item[] = [];
  /** Nothing from here on can be among the first; undefined until there are enough. */
  #line: string | undefined;

  constructor(most: number, nameOf: (item: Item) => string) {
    this.#most = most;
    this.#nameOf = nameOf;
  }

  /** Whether an item may be among the first. */
  wants(item: Item): boolean {
    return this.#line === undefined || this.#nameOf(item) < this.#line;
  }

  /** Takes an item in. */
  add(item: Item): void {
    if (!this.wants(item)) return;
    this.#items.push(item);
    // Cut now and then: most items do not pass the line, so this is seldom.
    if (this.#items.length >= 2 * this.#most) this.#cut();
  }

  /** The first of all that were taken in, in order. */
  sorted(): readonly Item[] {
    this.#cut();
    return this.#items;
  }

  #cut(): void {
    this.#items.sort((a, b) => (this.#nameOf(a) < this.#nameOf(b) ? -1 : 1));
    this.#items = this.#items.slice(0, this.#most);
    const last = this.#items.at(-1);
    if (last !== undefined && this.#items.length === this.#most) this.#line = this.#nameOf(last);
  }
}
