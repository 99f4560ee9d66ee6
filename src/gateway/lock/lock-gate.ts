import type { Log, Registry, SourceSet } from "../../core/index.ts";
import { type LockMode, reportDifferences, type Screened, screen } from "./lock.ts";
import { type Pins, readLock } from "./pins.ts";

/** A lock as it was read for a config. */
export interface ReadLock {
  readonly mode: LockMode;
  readonly path: string;
  readonly pins: Pins | undefined;
}

/** The way from upstreams to the registry: operations pass as far as the lock accepts them. */
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

  /** Takes what a source offers; the operator's own code needs no acceptance. Throws what keeps it from being taken. */
  offer(set: SourceSet, isOwnCode: boolean): void {
    if (isOwnCode) this.#register([set]);
    else {
      this.#admit([set]);
      this.#offered.set(set.source.name, set);
    }
  }

  /** Forgets a source that is gone. */
  forget(name: string): void {
    this.#offered.delete(name);
    this.#withheld.delete(name);
  }

  /** Reads the lock that a config wants, and changes nothing yet; throws where it cannot be read. */
  read(setting: Pick<ReadLock, "mode" | "path">): ReadLock {
    const onOlder = (why: string) => this.#log.warn(why);
    return { ...setting, pins: setting.mode === "off" ? undefined : readLock(setting.path, onOlder) };
  }

  /** Follows a config, and checks everything again. */
  follow(read: ReadLock): void {
    this.#lock = read;
    this.#admit([...this.#offered.values()]);
  }

  /** Reads the lock again after an operator accepted something. A lock that cannot be read changes nothing. */
  reread(): void {
    try {
      this.follow(this.read(this.#lock));
      this.#log.warn("Read pinhole.lock again");
    } catch (error) {
      this.#log.error("The lock is not taken; the old one stays", { reason: String(error) });
    }
  }

  /** The reasons why single operations of a source are withheld. */
  withheld(source: string): readonly string[] {
    return this.#withheld.get(source) ?? [];
  }

  #admit(sets: readonly SourceSet[]): void {
    const { mode, pins } = this.#lock;
    const screened = sets.map((set) => screen(set, pins, mode));
    this.#register(screened.map(({ set }) => set));
    for (const each of screened) {
      this.#withheld.set(each.set.source.name, mode === "enforce" ? reasonsOf(each) : []);
      reportDifferences(each, mode, this.#log);
    }
  }

  #register(sets: readonly SourceSet[]): void {
    const { sources } = this.#registry.snapshot();
    const changed = sets.filter((set) => !isSame(set, sources.get(set.source.name)));
    if (changed.length > 0) this.#registry.apply({ replace: changed });
  }
}

function isSame(one: SourceSet, other: SourceSet | undefined): boolean {
  return (
    other !== undefined &&
    one.source.title === other.source.title &&
    one.source.description === other.source.description &&
    one.ownership === other.ownership &&
    sameItems(one.routes ?? [], other.routes ?? []) &&
    sameItems(one.registrations, other.registrations)
  );
}

function sameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function reasonsOf({ differences }: Screened): readonly string[] {
  return differences.map(({ source, operation, before }) => {
    const what = operation === source ? `what ${source} says of itself` : operation;
    const why = before ? "has changed since it was accepted" : "was never accepted";
    return `${what} ${why}: it is withheld. Run pinhole lock to review it.`;
  });
}
