import { RegistrationError, type SourceSet, sameJson } from "../../core/index.ts";
import { ConnectionFailure } from "./connection.ts";
import { Connections } from "./connections.ts";
import { type Discovery, discover } from "./discover.ts";
import { toFailure } from "./failure.ts";
import { ImportError, toImportError } from "./import-error.ts";
import type { McpSourceOptions } from "./options.ts";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** Losses of the stream of changes that come closer together than this are answered ever more slowly. */
const STEADY_MS = 10_000;

/** How a source fares. */
export type SourceHealth =
  | { readonly state: "connecting" }
  | { readonly state: "healthy"; readonly operations: number; readonly leftOut: readonly string[] }
  | { readonly state: "unhealthy"; readonly code: ImportError["code"]; readonly reason: string };

/** Told whenever the server offers something new; throws what keeps it from being taken. */
export type OnSet = (set: SourceSet) => void;

/** A server that is being imported, for as long as it is not closed. */
export interface McpSource {
  health(): SourceHealth;
  /** Settles when the first attempt has ended, well or badly. */
  readonly firstAttempt: Promise<void>;
  /** Reads the list again; settles when that has ended, well or badly. */
  refresh(): Promise<void>;
  /** Imports nothing more, and ends the connections when the running calls have ended. */
  close(): Promise<void>;
}

/**
 * Keeps a server imported: reads its list at the start, when the server tells of a change and from time to
 * time; where that fails it tries again, ever more seldom. What was imported once stays meanwhile.
 */
export function createMcpSource(options: McpSourceOptions, onSet: OnSet): McpSource {
  const { log, name, url, outbound, version } = options;
  const connections = new Connections({ url, outbound, version });
  const discovery = connections.watching(options.token, { changed: () => void refresh(), lost });
  let health: SourceHealth = { state: "connecting" };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let losses = 0;
  let lastLoss = 0;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let taken: SourceSet | undefined;
  let warned = "";
  let closed = false;

  /** One at a time; who asks meanwhile gets one more afterwards. */
  function refresh(): Promise<void> {
    if (closed) return Promise.resolve();
    if (running) {
      next ??= running.then(() => {
        next = undefined;
        return refresh();
      });
      return next;
    }
    running = attempt().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function attempt(): Promise<void> {
    clearTimeout(timer);
    try {
      const work = { connections, options };
      take(await discovery.use((client) => discover(client, work), { isRepeatable: true }));
    } catch (error) {
      fail(error);
    }
    schedule(failures > 0 ? retryDelay(failures) : jittered(options.refreshMs));
  }

  function schedule(milliseconds: number): void {
    clearTimeout(timer);
    if (closed) return;
    timer = setTimeout(() => void refresh(), milliseconds);
    timer.unref();
  }

  /** What the server would have told meanwhile is found out by asking: at once, but not without end. */
  function lost(): void {
    losses = Date.now() - lastLoss < STEADY_MS ? losses + 1 : 0;
    lastLoss = Date.now();
    if (losses === 0) void refresh();
    else void Promise.resolve(running).then(() => schedule(retryDelay(losses)));
  }

  function take({ set, leftOut }: Discovery): void {
    if (closed) return;
    // The same list again is no news, and whoever follows the registry would look through all of it.
    if (!isSame(set, taken)) onSet(set);
    taken = set;
    failures = 0;
    const reasons = leftOut.map(({ message }) => message);
    health = { state: "healthy", operations: set.registrations.length, leftOut: reasons };
    // Once for each list, not once for each time that it is read.
    if (warned === reasons.join()) return;
    warned = reasons.join();
    for (const { code, message } of leftOut)
      log.warn("A tool was left out", { source: name, code, reason: message });
  }

  function fail(error: unknown): void {
    failures++;
    const { code, message } = importErrorOf(error, url);
    const wasHealthy = health.state !== "unhealthy";
    health = { state: "unhealthy", code, reason: message };
    if (wasHealthy && !closed)
      log.warn("A source cannot be imported; it is tried again", { source: name, code, reason: message });
  }

  return {
    health: () => health,
    firstAttempt: refresh(),
    refresh,
    async close() {
      closed = true;
      clearTimeout(timer);
      await connections.close();
    },
  };
}

function isSame(set: SourceSet, taken: SourceSet | undefined): boolean {
  const shown = ({ source, registrations }: SourceSet) => [source, registrations.map(({ spec }) => spec)];
  return taken !== undefined && sameJson(shown(set), shown(taken));
}

function importErrorOf(error: unknown, url: URL): ImportError {
  if (error instanceof ImportError) return error;
  if (error instanceof RegistrationError) return new ImportError("NAME_COLLISION", error.message, error);
  const failure = error instanceof ConnectionFailure ? error.failure : toFailure(error);
  return toImportError(failure, `${url.origin}${url.pathname}`);
}

function retryDelay(failures: number): number {
  return jittered(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS));
}

/** Many sources that failed together must not come back together. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.8 + Math.random() * 0.4);
}
