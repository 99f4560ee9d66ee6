import { type Entry, OPERATION_TYPES, type OperationType } from "../../core/index.ts";

/** The operations of the index by number. A number is free again once nothing refers to it. */
export class Documents {
  readonly #entries: (Entry | undefined)[] = [];
  readonly #numbers = new Map<string, number | readonly number[]>();
  readonly #namespaces = new Map<string, number>();
  readonly #free: number[] = [];
  #types = new Uint8Array(64);
  #namespaceOf = new Uint32Array(64);
  #deprecated = new Uint8Array(64);
  #count = 0;

  /** All numbers are below this. */
  get end(): number {
    return this.#entries.length;
  }

  /** Number of operations. */
  get count(): number {
    return this.#count;
  }

  /** The operation of a number; undefined if it was removed. */
  entryOf(number: number): Entry | undefined {
    return this.#entries[number];
  }

  /** The name of an operation, for order among equals. */
  nameOf(number: number): string {
    return this.#entries[number]?.registration.spec.name ?? "";
  }

  /** The numbers of a name: one for all, and one for each connection that has an operation of its own. */
  numbersOf(name: string): readonly number[] {
    const known = this.#numbers.get(name);
    return known === undefined ? [] : typeof known === "number" ? [known] : known;
  }

  /** The number of the operation of a name that is for this connection, or for all. */
  find(name: string, connection: string | undefined): number | undefined {
    return this.numbersOf(name).find((number) => this.#entries[number]?.source.connection === connection);
  }

  /** Adds an operation under a free number. */
  add(entry: Entry): number {
    const number = this.#free.pop() ?? this.#entries.length;
    if (number >= this.#types.length) this.#makeRoom(number);
    this.#entries[number] = entry;
    this.#count++;
    const { name, type, namespace, deprecated } = entry.registration.spec;
    const same = this.numbersOf(name);
    this.#numbers.set(name, same.length === 0 ? number : [...same, number]);
    this.#types[number] = OPERATION_TYPES.indexOf(type);
    this.#deprecated[number] = deprecated === undefined ? 0 : 1;
    let namespaceNumber = this.#namespaces.get(namespace);
    if (namespaceNumber === undefined) {
      namespaceNumber = this.#namespaces.size;
      this.#namespaces.set(namespace, namespaceNumber);
    }
    this.#namespaceOf[number] = namespaceNumber;
    return number;
  }

  /** Replaces the entry of an operation whose searched texts are the same. */
  swap(number: number, entry: Entry): void {
    this.#entries[number] = entry;
  }

  /** Removes an operation. Its number is not reused before `release`. */
  remove(number: number): void {
    const name = this.nameOf(number);
    const others = this.numbersOf(name).filter((other) => other !== number);
    if (others.length === 0) this.#numbers.delete(name);
    else this.#numbers.set(name, others.length === 1 ? (others[0] ?? 0) : others);
    this.#entries[number] = undefined;
    this.#count--;
  }

  /** Frees a number that is no longer used in any list. */
  release(number: number): void {
    this.#free.push(number);
  }

  /** True if an operation is deprecated. */
  isDeprecated(number: number): boolean {
    return this.#deprecated[number] === 1;
  }

  /** A quick check of type and namespace; undefined where everything passes. */
  filter(wanted: {
    readonly namespace?: string | undefined;
    readonly types?: readonly OperationType[] | undefined;
  }): ((number: number) => boolean) | undefined {
    const { namespace, types } = wanted;
    const allTypes = types === undefined || OPERATION_TYPES.every((type) => types.includes(type));
    if (allTypes && namespace === undefined) return undefined;
    const passes = OPERATION_TYPES.map((type) => allTypes || types.includes(type));
    const only = namespace === undefined ? undefined : (this.#namespaces.get(namespace) ?? -1);
    return (number) =>
      passes[this.#types[number] ?? 0] === true && (only === undefined || this.#namespaceOf[number] === only);
  }

  #makeRoom(number: number): void {
    const length = Math.max(number + 1, this.#types.length * 2);
    this.#types = grown(this.#types, new Uint8Array(length));
    this.#namespaceOf = grown(this.#namespaceOf, new Uint32Array(length));
    this.#deprecated = grown(this.#deprecated, new Uint8Array(length));
  }
}

function grown<Numbers extends Uint8Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
