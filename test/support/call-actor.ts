import assert from "node:assert/strict";
import { CallError } from "../../src/core/index.ts";
import type { Connection, Service } from "../../src/protocol/index.ts";

/** How a handler behaves, as the input of its call says. */
export interface Script {
  readonly number: number;
  readonly mode: "value" | "declared" | "thrown" | "nothing";
  /** For streams: how many items, and whether each waits to be let go. */
  readonly items: number;
  readonly gated: boolean;
}

/** One run of a handler. */
export interface Run {
  readonly script: Script;
  readonly signal: AbortSignal;
  ended: boolean;
}

/** The end of a call or stream, as its caller saw it. */
export interface Made {
  readonly script: Script;
  readonly stream: boolean;
  readonly hasDeadline: boolean;
  readonly controller: AbortController;
  readonly iterator: AsyncIterableIterator<unknown> | undefined;
  readonly received: unknown[];
  asking: boolean;
  aborted: boolean;
  outcome: { readonly value: unknown } | { readonly error: CallError } | "completed" | "dropped" | undefined;
}

/** One side of a connection: serves by script, calls, and remembers everything. */
export class Actor {
  readonly runs: Run[] = [];
  readonly made: Made[] = [];
  readonly #gates: (() => void)[] = [];
  readonly #numbers = new Set<number>();
  connection: Connection | undefined;
  /** What must not have happened, and cannot be thrown where it was seen. */
  readonly faults: string[] = [];
  /** Takes every item as soon as it has the one before. */
  isGreedy = false;

  readonly #allowRepeats: boolean;

  constructor({ allowRepeats = false }: { readonly allowRepeats?: boolean } = {}) {
    this.#allowRepeats = allowRepeats;
  }

  readonly service: Service = {
    call: async (request, signal) => {
      const run = this.#begin(request.input as Script, signal);
      await this.#gate();
      run.ended = true;
      return finish(run.script);
    },
    subscribe: (request, signal) => this.#produce(this.#begin(request.input as Script, signal)),
  };

  call(script: Script, deadlineMs: number | undefined): void {
    const made = this.#make(script, deadlineMs, undefined);
    const options = { signal: made.controller.signal, ...(deadlineMs !== undefined && { deadlineMs }) };
    this.#connection.call("sim/call", script, options).then(
      (value) => this.#settle(made, { value }),
      (error) => this.#settle(made, { error }),
    );
  }

  subscribe(script: Script, deadlineMs: number | undefined): void {
    const controller = new AbortController();
    const options = { signal: controller.signal, ...(deadlineMs !== undefined && { deadlineMs }) };
    const iterator = this.#connection.subscribe("sim/stream", script, options);
    this.#make(script, deadlineMs, { iterator, controller });
  }

  /** Asks a stream for its next item, unless all are asked already. */
  take(index: number): void {
    this.#take(pick(this.#takeable, index));
  }

  /** Asks every stream for its next item. */
  takeAll(): void {
    for (const made of this.#takeable) this.#take(made);
  }

  get #takeable(): readonly Made[] {
    return this.made.filter(({ stream, outcome, asking }) => stream && !outcome && !asking);
  }

  #take(made: Made | undefined): void {
    if (!made?.iterator || made.outcome) return;
    made.asking = true;
    made.iterator.next().then(
      (step) => {
        made.asking = false;
        if (step.done) this.#settle(made, "completed");
        else {
          made.received.push(step.value);
          if (this.isGreedy) this.#take(made);
        }
      },
      (error) => {
        made.asking = false;
        this.#settle(made, { error });
      },
    );
  }

  /** Aborts something that has not ended; a stream by its signal or by leaving it. */
  abort(index: number, byLeaving: boolean): void {
    const made = pick(
      this.made.filter(({ outcome }) => !outcome),
      index,
    );
    if (!made) return;
    made.aborted = true;
    if (!byLeaving || !made.iterator) made.controller.abort();
    else {
      made.outcome = "dropped";
      void made.iterator.return?.();
    }
  }

  /** Lets a handler that waits go on. */
  letGo(index: number): void {
    if (this.#gates.length > 0) this.#gates.splice(index % this.#gates.length, 1)[0]?.();
  }

  /** Lets all of them go on. */
  letAllGo(): void {
    for (const open of this.#gates.splice(0)) open();
  }

  /** True where no handler waits. */
  get isIdle(): boolean {
    return this.#gates.length === 0;
  }

  get unsettled(): number {
    return this.made.filter(({ outcome }) => !outcome).length;
  }

  get #connection(): Connection {
    assert.ok(this.connection);
    return this.connection;
  }

  #make(
    script: Script,
    deadlineMs: number | undefined,
    stream: { iterator: AsyncIterableIterator<unknown>; controller: AbortController } | undefined,
  ): Made {
    const made: Made = {
      script,
      stream: stream !== undefined,
      hasDeadline: deadlineMs !== undefined,
      controller: stream?.controller ?? new AbortController(),
      iterator: stream?.iterator,
      received: [],
      asking: false,
      aborted: false,
      outcome: undefined,
    };
    this.made.push(made);
    return made;
  }

  #begin(script: Script, signal: AbortSignal): Run {
    if (this.#numbers.has(script.number) && !this.#allowRepeats)
      this.faults.push(`call ${script.number} ran twice`);
    this.#numbers.add(script.number);
    const run = { script, signal, ended: false };
    this.runs.push(run);
    return run;
  }

  /** What has been left may still have had an answer on its way. */
  #settle(made: Made, outcome: NonNullable<Made["outcome"]>): void {
    if (made.outcome === "dropped") return;
    if (made.outcome) this.faults.push(`call ${made.script.number} ended twice`);
    made.outcome = outcome;
  }

  #gate(): Promise<void> {
    return new Promise((resolve) => this.#gates.push(resolve));
  }

  async *#produce(run: Run): AsyncGenerator<unknown, void> {
    try {
      for (let item = 0; item < run.script.items; item++) {
        if (run.script.gated) await this.#gate();
        yield item;
      }
      finish(run.script);
    } finally {
      run.ended = true;
    }
  }
}

function finish({ mode, number }: Script): unknown {
  if (mode === "declared") throw new CallError("DRY", "Nothing is left.", { details: { number } });
  if (mode === "thrown") throw new Error("a secret of the inside");
  return mode === "nothing" ? undefined : { number };
}

function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items.length === 0 ? undefined : items[index % items.length];
}
