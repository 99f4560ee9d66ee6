import { MAX_AT_ONCE, MAX_DEPTH, tooDeep, tooManyAtOnce } from "../access/index.ts";
import type { CallError, OperationSpec } from "../model/index.ts";
import { isPromiseLike } from "./lifetime.ts";

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

/** Notes whether something that must not run twice has begun in a call or below it. */
export class Effects {
  readonly #parent: Effects | undefined;
  #begun = false;

  constructor(parent?: Effects) {
    this.#parent = parent;
  }

  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
    this.#parent?.begin();
  }
}

/** The handlers that run for one call from outside: its own, and those of everything that it composes. */
export class RunningHandlers {
  #count = 0;
  #onEnded: (() => void) | undefined;

  /** Counts work until it has really ended, whether or not anyone still waits for it. */
  add(work: unknown): void {
    if (!isPromiseLike(work)) return;
    this.#count++;
    const ended = () => {
      if (--this.#count === 0) this.#onEnded?.();
    };
    work.then(ended, ended);
  }

  /** Calls back once, when no handler runs; answers whether that was at once. */
  whenEnded(callback: () => void): boolean {
    if (this.#count === 0) callback();
    else {
      this.#onEnded = () => {
        this.#onEnded = undefined;
        callback();
      };
    }
    return this.#onEnded === undefined;
  }
}
