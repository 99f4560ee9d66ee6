import { RegistrationError, type SourceSet } from "../../core/index.ts";
import { ConnectionFailure } from "./connection.ts";
import { Connections } from "./connections.ts";
import { type Discovery, discover } from "./discover.ts";
import { toFailure, toImportError } from "./failure.ts";
import { ImportError } from "./import-error.ts";
import type { McpSourceOptions } from "./options.ts";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** How a source fares. */
export type SourceHealth =
  | { readonly state: "connecting" }
  | { readonly state: "healthy"; readonly operations: number; readonly leftOut: readonly string[] }
  | { readonly state: "unhealthy"; readonly code: ImportError["code"]; readonly reason: string };

/** Told whenever the server offers something new; returns what kept it from being taken, if anything. */
export type OnSet = (set: SourceSet) => void;

/** A server that is being imported, for as long as it is not closed. */
export interface McpSource {
  health(): SourceHealth;
  /** Settles when the first attempt has ended, well or badly. */
  readonly firstAttempt: Promise<void>;
  /** Reads the list again now. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps a server imported: reads its list at the start, when the server tells of a change and from time to
 * time; where that fails it tries again, ever more seldom. What was imported once stays meanwhile.
 */
export function createMcpSource(options: McpSourceOptions, onSet: OnSet): McpSource {
  const { log, name } = options;
  const connections = new Connections({
    url: options.url,
    outbound: options.outbound,
    version: options.version,
  });
  const discovery = connections.of(options.token, () => void refresh());
  let health: SourceHealth = { state: "connecting" };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;

  /** One at a time; who asks meanwhile gets one more afterwards. */
  function refresh(): Promise<void> {
    again = running !== undefined;
    running ??= attempt().finally(() => {
      running = undefined;
      if (again) void refresh();
    });
    return running;
  }

  async function attempt(): Promise<void> {
    clearTimeout(timer);
    try {
      take(
        await discovery.use((client) => discover(client, { connections, options }), { isRepeatable: true }),
      );
    } catch (error) {
      fail(error);
    }
    if (closed) return;
    timer = setTimeout(
      () => void refresh(),
      failures > 0 ? retryDelay(failures) : jittered(options.refreshMs),
    );
    timer.unref();
  }

  function take({ set, leftOut }: Discovery): void {
    if (closed) return;
    onSet(set);
    failures = 0;
    health = {
      state: "healthy",
      operations: set.registrations.length,
      leftOut: leftOut.map(({ message }) => message),
    };
    for (const { code, message } of leftOut)
      log.warn("A tool was left out", { source: name, code, reason: message });
  }

  function fail(error: unknown): void {
    failures++;
    const { code, message } = importErrorOf(error, options.url);
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

function importErrorOf(error: unknown, url: URL): ImportError {
  if (error instanceof ImportError) return error;
  if (error instanceof RegistrationError) return new ImportError("NAME_COLLISION", error.message, error);
  const failure = error instanceof ConnectionFailure ? error.failure : toFailure(error, undefined);
  return toImportError(failure, `${url.origin}${url.pathname}`);
}

function retryDelay(failures: number): number {
  return jittered(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS));
}

/** Many sources that failed together must not come back together. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.8 + Math.random() * 0.4);
}
