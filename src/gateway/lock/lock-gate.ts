import type { Log, Registry, SourceSet } from "../../core/index.ts";
import { type LockMode, reportDifferences, type Screened, screen } from "./lock.ts";
import { type Pins, readLock } from "./pins.ts";

/** What a lock is told by a config. */
interface LockSetting {
  readonly mode: LockMode;
  readonly path: string;
}

/** A lock as it was read for a config. */
export interface ReadLock extends LockSetting {
  readonly pins: Pins | undefined;
}

/** Stands between upstreams and the registry: what they offer goes in as far as the lock lets it. */
export class LockGate {
  readonly #registry: Registry;
  readonly #log: Log;
  readonly #offered = new Map<string, SourceSet>();
  readonly #withheld = new Map<string, readonly string[]>();
  #lock: ReadLock = { mode: "off", path: "", pins: undefined };

  constructor(registry: Registry, log: Log) {
    this.#registry = registry;
    this.#log = log;
  }

  /** Takes what a source offers. */
  offer(set: SourceSet): void {
    this.#let([set]);
    this.#offered.set(set.source.name, set);
  }

  /** Takes what needs no acceptance: plugins are the operator's own code. */
  admit(set: SourceSet): void {
    if (!isSame(set, this.#registry.snapshot().sources.get(set.source.name)))
      this.#registry.apply({ replace: [set] });
  }

  /** Forgets what is no more offered. */
  forget(name: string): void {
    this.#offered.delete(name);
    this.#withheld.delete(name);
  }

  /** Reads the lock that a config wants, and changes nothing yet; throws where it cannot be read. */
  read(setting: LockSetting): ReadLock {
    const onOlder = (why: string) => this.#log.warn(why);
    return { ...setting, pins: setting.mode === "off" ? undefined : readLock(setting.path, onOlder) };
  }

  /** Follows a config, and looks at everything anew. */
  follow(read: ReadLock): void {
    this.#lock = read;
    this.#let([...this.#offered.values()]);
  }

  /** Reads the lock again: somebody accepted something. What cannot be read changes nothing. */
  reread(): void {
    try {
      this.follow(this.read(this.#lock));
      this.#log.warn("Read pinhole.lock again");
    } catch (error) {
      this.#log.error("The lock is not taken; the old one stays", { reason: String(error) });
    }
  }

  /** Why single operations of a source are withheld. */
  withheld(source: string): readonly string[] {
    return this.#withheld.get(source) ?? [];
  }

  #let(sets: readonly SourceSet[]): void {
    const { mode, pins } = this.#lock;
    const screened = sets.map((set) => screen(set, pins, mode));
    const { sources } = this.#registry.snapshot();
    const changed = screened.filter(({ set }) => !isSame(set, sources.get(set.source.name)));
    if (changed.length > 0) this.#registry.apply({ replace: changed.map(({ set }) => set) });
    for (const each of screened) {
      this.#withheld.set(each.set.source.name, mode === "enforce" ? reasonsOf(each) : []);
      reportDifferences(each, mode, this.#log);
    }
  }
}

/** Where upstreams offer what they have. */
export function offerTo(gate: LockGate): (set: SourceSet, isOwnCode: boolean) => void {
  return (set, isOwnCode) => (isOwnCode ? gate.admit(set) : gate.offer(set));
}

function isSame(one: SourceSet, other: SourceSet | undefined): boolean {
  return (
    other !== undefined &&
    one.source.title === other.source.title &&
    one.source.description === other.source.description &&
    one.ownership === other.ownership &&
    one.registrations.length === other.registrations.length &&
    one.registrations.every((registration, index) => registration === other.registrations[index])
  );
}

function reasonsOf({ differences }: Screened): readonly string[] {
  return differences.map(({ source, operation, before }) => {
    const what = operation === source ? `what ${source} says of itself` : operation;
    const why = before ? "has changed since it was accepted" : "was never accepted";
    return `${what} ${why}: it is withheld. Run pinhole lock to review it.`;
  });
}
