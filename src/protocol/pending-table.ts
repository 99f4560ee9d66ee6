import type { Timers } from "./ports.ts";

interface Row<Entry> {
  readonly entry: Entry;
  readonly deadline: number;
}

/**
 * Unanswered requests by id. Entries with a deadline are taken out when it passes; one
 * timer, set for the earliest of them, serves the whole table.
 */
export class PendingTable<Entry> {
  readonly #rows = new Map<string, Row<Entry>>();
  readonly #timers: Timers;
  readonly #onExpired: (entry: Entry) => void;
  #timer: unknown;
  #wakesAt = Number.POSITIVE_INFINITY;

  constructor(timers: Timers, onExpired: (entry: Entry) => void) {
    this.#timers = timers;
    this.#onExpired = onExpired;
  }

  get size(): number {
    return this.#rows.size;
  }

  has(id: string): boolean {
    return this.#rows.size > 0 && this.#rows.has(id);
  }

  get(id: string): Entry | undefined {
    return this.#rows.get(id)?.entry;
  }

  /** Adds an entry; the id must be free. Without a time it stays until it is taken. */
  add(id: string, entry: Entry, milliseconds?: number): void {
    const deadline =
      milliseconds === undefined ? Number.POSITIVE_INFINITY : this.#timers.now() + milliseconds;
    this.#rows.set(id, { entry, deadline });
    this.#wakeAt(deadline);
  }

  /** Removes an entry. The receiver has to end it. */
  take(id: string): Entry | undefined {
    const row = this.#rows.get(id);
    if (row) this.#rows.delete(id);
    return row?.entry;
  }

  /** Takes everything out and lets go of the timer. */
  takeAll(): readonly Entry[] {
    const entries = [...this.#rows.values()].map(({ entry }) => entry);
    this.#rows.clear();
    this.#timers.stop(this.#timer);
    this.#wakesAt = Number.POSITIVE_INFINITY;
    return entries;
  }

  #wakeAt(deadline: number): void {
    if (deadline >= this.#wakesAt) return;
    this.#timers.stop(this.#timer);
    this.#wakesAt = deadline;
    this.#timer = this.#timers.start(() => this.#sweep(), Math.max(0, deadline - this.#timers.now()));
  }

  #sweep(): void {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    const now = this.#timers.now();
    let next = Number.POSITIVE_INFINITY;
    const expired: Entry[] = [];
    for (const [id, { entry, deadline }] of this.#rows) {
      if (deadline <= now) {
        this.#rows.delete(id);
        expired.push(entry);
      } else if (deadline < next) next = deadline;
    }
    this.#wakeAt(next);
    for (const entry of expired) this.#onExpired(entry);
  }
}
