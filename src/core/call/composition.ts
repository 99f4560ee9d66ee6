import { MAX_AT_ONCE, MAX_DEPTH, tooDeep, tooManyAtOnce } from "../access/index.ts";
import type { CallError, OperationSpec } from "../model/index.ts";

/** Composed calls that begin before other callers get a turn. */
const PER_TURN = 32;

/** State shared by all composed calls below one call from outside: their bounds, and the end of a dry run. */
export class Composition {
  #underWay = 0;
  #begun = 0;
  #waiting: (() => void)[] = [];
  #reached: OperationSpec | undefined;
  readonly #end: () => void;

  /** `end` ends the call from outside. */
  constructor(end: () => void) {
    this.#end = end;
  }

  /** The mutation at which a dry run ended, if it did. */
  get reached(): OperationSpec | undefined {
    return this.#reached;
  }

  /** Ends the whole call: a dry run cannot go on after a mutation, which has no answer. */
  endAt(mutation: OperationSpec): void {
    this.#reached ??= mutation;
    this.#end();
  }

  /** Runs a composed call of `composer` at this depth, in its turn. */
  async run<Result>(
    composer: string,
    depth: number,
    work: () => Result | Promise<Result>,
  ): Promise<Awaited<Result>> {
    const refusal = this.#refusalOf(composer, depth);
    this.#underWay++;
    try {
      // Refused calls take turns too, because a handler may retry for ever.
      if (++this.#begun % PER_TURN === 0 || (this.#waiting.length > 0 && !refusal)) await this.#turn();
      if (refusal) throw refusal;
      return await work();
    } finally {
      this.#underWay--;
    }
  }

  #refusalOf(composer: string, depth: number): CallError | undefined {
    if (depth > MAX_DEPTH) return tooDeep(composer);
    return this.#underWay >= MAX_AT_ONCE ? tooManyAtOnce(composer) : undefined;
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#letOn());
    });
  }

  #letOn(): void {
    for (const resolve of this.#waiting.splice(0, PER_TURN)) resolve();
    if (this.#waiting.length > 0) setImmediate(() => this.#letOn());
  }
}
