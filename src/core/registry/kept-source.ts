import type { Log, SourceSet } from "../model/index.ts";
import {
  checkRegistration,
  createRedactor,
  ImportError,
  type ImportErrorCode,
  LONGEST_TIMER_MS,
  messageOf,
  RegistrationError,
} from "../model/index.ts";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** Misses or changes that repeat within this time are followed up more and more slowly. */
const STEADY_MS = 10_000;
const PAUSES_OF_CHANGES = { first: 250, longest: 5_000 };
const PAUSES_OF_MISSES = { first: FIRST_RETRY_MS, longest: LONGEST_RETRY_MS };
const MAX_WARNINGS = 20;

/** Health of a source. */
export type SourceHealth =
  | { readonly state: "connecting" }
  | {
      readonly state: "healthy";
      readonly operations: number;
      readonly leftOut: readonly string[];
      /** Settings of the operator without effect. */
      readonly warnings: readonly string[];
    }
  | { readonly state: "unhealthy"; readonly code: ImportErrorCode; readonly reason: string };

/** Receives the set of a source; throws if the set cannot be registered. */
export type OnSet = (set: SourceSet) => void;

/** The current set of a source, and the operations that cannot be used. */
export interface Imported {
  readonly set: SourceSet;
  readonly leftOut: readonly ImportError[];
  /** Settings of the operator without effect. */
  readonly warnings?: readonly string[];
}

/** Options of keepImported. */
export interface KeepOptions {
  readonly name: string;
  readonly log: Log;
  /** Interval of refreshes of a healthy source. */
  readonly refreshMs: number;
  /** Reads the source; undefined if nothing changed. Errors that are not ImportErrors count as DISCOVERY_FAILED. */
  readonly attempt: (signal: AbortSignal) => Promise<Imported | undefined>;
  readonly onSet: OnSet;
  /** Current secrets of the source, kept out of its health, its log lines and the answers of its calls. */
  readonly secrets?: (() => readonly string[]) | undefined;
}

/** A source that stays imported until it is closed. */
export interface KeptSource {
  health(): SourceHealth;
  /** Time of the last successful look, in milliseconds since the epoch. */
  lastImport(): number | undefined;
  /** Settles when the first attempt has ended, successful or not. */
  readonly firstAttempt: Promise<void>;
  /** Looks again; settles when that has ended, successful or not. */
  refresh(): Promise<void>;
  /** The source announced a change: looks again at once, with pauses if it announces many. */
  changed(): void;
  /** Changes may have been missed: looks again at once, with pauses if this happens often. */
  missed(): void;
  /** Stops importing, and aborts a running attempt. */
  close(): Promise<void>;
}

/**
 * Keeps a source imported: looks at the start, when told to, and at intervals. After a failure it tries
 * again at growing intervals. Imported operations stay meanwhile.
 */
export function keepImported({ name, log, refreshMs, attempt, onSet, secrets }: KeepOptions): KeptSource {
  const closing = new AbortController();
  const { signal } = closing;
  let health: SourceHealth = { state: "connecting" };
  let lastHealthy: SourceHealth = health;
  let lastImport: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let looks = 0;
  let dueAt = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let warned = "";

  /** One look at a time; requests meanwhile share one more look afterwards. */
  function refresh(): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    if (running) {
      next ??= running.then(() => {
        next = undefined;
        return refresh();
      });
      return next;
    }
    running = look().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function look(): Promise<void> {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
    looks++;
    try {
      const imported = await attempt(signal);
      if (signal.aborted) return;
      if (imported) take(imported);
      health = lastHealthy;
      lastImport = Date.now();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      fail(importErrorOf(error));
    }
    schedule(failures > 0 ? retryDelay(failures) : refreshMs);
  }

  /** Looks again by then, or earlier if a look is due. */
  function schedule(milliseconds: number): void {
    const dueIn = jittered(milliseconds);
    if (signal.aborted || performance.now() + dueIn > dueAt) return;
    clearTimeout(timer);
    dueAt = performance.now() + dueIn;
    timer = setTimeout(() => void refresh(), dueIn);
    // This timer must not keep the process alive.
    timer.unref?.();
  }

  function take(imported: Imported): void {
    const { set, leftOut, warnings = [] } = withoutUnusable(imported);
    onSet(secrets ? withSecrets(set, secrets) : set);
    const { text: redact } = createRedactor(secrets?.() ?? []);
    const reasons = leftOut.map(({ message }) => redact(message));
    lastHealthy = { state: "healthy", operations: set.registrations.length, leftOut: reasons, warnings };
    // Logged once for each list, not at each refresh.
    const all = [...reasons, ...warnings].join("\n");
    if (warned === all) return;
    warned = all;
    for (const [at, { code }] of leftOut.slice(0, MAX_WARNINGS).entries())
      log.warn("An operation was left out", { source: name, code, reason: reasons[at] });
    for (const reason of warnings.slice(0, MAX_WARNINGS))
      log.warn("A setting of a source has no effect", { source: name, reason });
    const more = leftOut.length - MAX_WARNINGS;
    if (more > 0) log.warn("More operations were left out", { source: name, more });
  }

  function fail({ code, message }: ImportError): void {
    const reason = createRedactor(secrets?.() ?? []).text(message);
    const isNews = health.state !== "unhealthy";
    health = { state: "unhealthy", code, reason };
    if (isNews) log.warn("A source cannot be imported; it is tried again", { source: name, code, reason });
  }

  /** Looks at once, or after growing pauses if requests repeat. One look serves all requests before it. */
  function paced({ first, longest }: { readonly first: number; readonly longest: number }): () => void {
    let times = 0;
    let last = Number.NEGATIVE_INFINITY;
    let lookBefore = -1;
    return () => {
      if (lookBefore === looks) return;
      lookBefore = looks;
      times = performance.now() - last < STEADY_MS ? times + 1 : 0;
      last = performance.now();
      if (times === 0) return void refresh();
      const pause = Math.min(first * 2 ** (times - 1), longest);
      void Promise.resolve(running).then(() => schedule(pause));
    };
  }

  return {
    health: () => health,
    lastImport: () => lastImport,
    firstAttempt: refresh(),
    refresh,
    changed: paced(PAUSES_OF_CHANGES),
    missed: paced(PAUSES_OF_MISSES),
    async close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}

/** An imported registration that cannot be used is left out alone; a local one fails the whole set. */
function withoutUnusable(imported: Imported): Imported {
  const refused: ImportError[] = [];
  const registrations = imported.set.registrations.filter((registration) => {
    if (registration.provenance === "local") return true;
    try {
      checkRegistration(registration);
      return true;
    } catch (error) {
      refused.push(importErrorOf(error));
      return false;
    }
  });
  if (refused.length === 0) return imported;
  const { set, leftOut } = imported;
  return { ...imported, set: { ...set, registrations }, leftOut: [...leftOut, ...refused] };
}

function withSecrets(set: SourceSet, secrets: () => readonly string[]): SourceSet {
  return { ...set, registrations: set.registrations.map((registration) => ({ ...registration, secrets })) };
}

function importErrorOf(error: unknown): ImportError {
  if (error instanceof ImportError) return error;
  const code = error instanceof RegistrationError ? error.code : "DISCOVERY_FAILED";
  return new ImportError(code, messageOf(error), error);
}

function retryDelay(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
}

/** Sources that failed together must not all retry at the same time. */
function jittered(milliseconds: number): number {
  return Math.min(milliseconds * (0.8 + Math.random() * 0.4), LONGEST_TIMER_MS);
}
