import { RegistrationError, type SourceSet } from "../../core/index.ts";
import { importDocument } from "./import-document.ts";
import { ImportError } from "./import-error.ts";
import type { OpenapiSourceOptions } from "./options.ts";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
const MAX_WARNINGS = 20;

/** How a source fares. */
export type SourceHealth =
  | { readonly state: "connecting" }
  | { readonly state: "healthy"; readonly operations: number; readonly leftOut: readonly string[] }
  | { readonly state: "unhealthy"; readonly code: ImportError["code"]; readonly reason: string };

/** Told whenever the document offers something new; throws what keeps it from being taken. */
export type OnSet = (set: SourceSet) => void;

/** An API that is being imported, for as long as it is not closed. */
export interface OpenapiSource {
  health(): SourceHealth;
  /** Settles when the first attempt has ended, well or badly. */
  readonly firstAttempt: Promise<void>;
  /** Looks at the document again; settles when that has ended, well or badly. */
  refresh(): Promise<void>;
  /** Imports nothing more. */
  close(): Promise<void>;
}

/**
 * Keeps an API imported: reads its document at the start and looks from time to time whether it has changed; where that
 * fails it tries again, ever more seldom. What was imported once stays meanwhile.
 */
export function createOpenapiSource(options: OpenapiSourceOptions, onSet: OnSet): OpenapiSource {
  const { log, name } = options;
  const closing = new AbortController();
  let health: SourceHealth = { state: "connecting" };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let known: string | undefined;
  let origins: ReadonlySet<string> | undefined;
  let lastHealthy: SourceHealth = health;
  let running: Promise<void> | undefined;

  function refresh(): Promise<void> {
    if (closing.signal.aborted) return Promise.resolve();
    running ??= attempt().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function attempt(): Promise<void> {
    clearTimeout(timer);
    try {
      await take();
      failures = 0;
    } catch (error) {
      fail(error);
    }
    if (closing.signal.aborted) return;
    timer = setTimeout(
      () => void refresh(),
      jittered(failures > 0 ? retryDelay(failures) : options.refreshMs),
    );
    timer.unref();
  }

  async function take(): Promise<void> {
    const document = await options.load(known, closing.signal);
    if (closing.signal.aborted) return;
    if (document === undefined) {
      health = lastHealthy;
      return;
    }
    const imported = importDocument(document, options);
    refuseNewOrigins(imported.origins);
    onSet(imported.set);
    known = document.fingerprint;
    origins = imported.origins;
    const { registrations } = imported.set;
    const leftOut = imported.warnings
      .filter((each) => each.leftOut)
      .map(({ where, message }) => `${where}: ${message}`);
    health = { state: "healthy", operations: registrations.length, leftOut };
    lastHealthy = health;
    for (const { where, message } of imported.warnings.slice(0, MAX_WARNINGS))
      log.warn("A document is not as it should be", { source: name, where, reason: message });
  }

  /** Whoever can change a document must not be able to send the secrets of this gateway to a place of their own. */
  function refuseNewOrigins(found: ReadonlySet<string>): void {
    const added = options.capabilities && origins ? [...found].filter((origin) => !origins?.has(origin)) : [];
    if (added.length === 0) return;
    throw new ImportError(
      "DISCOVERY_FAILED",
      `The document now names ${added.join(", ")}, which would get the credentials of this source. The old one stays; set server, or start anew if that is meant.`,
    );
  }

  function fail(error: unknown): void {
    failures++;
    const { code, message } = importErrorOf(error);
    const wasHealthy = health.state !== "unhealthy";
    health = { state: "unhealthy", code, reason: message };
    if (wasHealthy && !closing.signal.aborted)
      log.warn("A source cannot be imported; it is tried again", { source: name, code, reason: message });
  }

  return {
    health: () => health,
    firstAttempt: refresh(),
    refresh,
    async close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}

function importErrorOf(error: unknown): ImportError {
  if (error instanceof ImportError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ImportError(
    error instanceof RegistrationError ? "NAME_COLLISION" : "DISCOVERY_FAILED",
    message,
    error,
  );
}

function retryDelay(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
}

/** Many sources that failed together must not come back together. */
function jittered(milliseconds: number): number {
  return Math.min(milliseconds * (0.8 + Math.random() * 0.4), 2_147_483_647);
}
