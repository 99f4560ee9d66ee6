import type {
  ConfiguredSource,
  SourceDefinition,
  StartSurroundings,
  UpstreamSource,
} from "../../adapters/source/index.ts";
import { ConfigError } from "../../config/index.ts";
import { ImportError, messageOf, type OnSet, type SourceHealth } from "../../core/index.ts";
import {
  type FindSecret,
  resolveSourceSecrets,
  type SourceSecrets,
  sameSecrets,
  secretValues,
} from "../../credentials/index.ts";

/** Interval at which files of secrets are read again. They are not watched: a folder that does not exist yet cannot be. */
const SECRETS_MS = 2_000;

/** A source of a config, its kind, and the places of its secrets. */
interface ToSupply {
  readonly wanted: ConfiguredSource;
  readonly definition: SourceDefinition;
  /** Variables that references name. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A source together with its secrets. */
export type SuppliedSource = ReturnType<typeof startSupplied>;

/**
 * Starts a source with its secrets, and again when they change. While one of them has never been there the source is
 * unhealthy, is not running and has no operations. One that is gone again, or empty, stays in use as it was: files are
 * replaced in several steps, and a source must not go on without a credential.
 */
export function startSupplied(
  { wanted: first, definition, env = process.env }: ToSupply,
  surroundings: StartSurroundings,
) {
  const { log, onSet, onSecrets } = surroundings;
  const { name } = first;
  let wanted = first;
  let supply: { readonly secrets: SourceSecrets; readonly source: UpstreamSource } | undefined;
  let problem: ImportError | undefined;
  /** The logged reason why the secrets could not be read again. */
  let unreadable: string | undefined;
  let isClosed = false;
  /** Only the source that was started last offers anything. */
  let starts = 0;
  let supplying: Promise<void> = Promise.resolve();

  function findSecrets(): SourceSecrets | ImportError {
    try {
      const { config } = wanted;
      const secretsOf = (find: FindSecret) => definition.secrets(config, find);
      return resolveSourceSecrets(name, secretsOf, { ...wanted, env });
    } catch (error) {
      if (error instanceof ConfigError) return missingSecrets(error);
      throw error;
    }
  }

  async function supplyNow(): Promise<void> {
    if (isClosed) return;
    const found = findSecrets();
    if (found instanceof ImportError) return supply ? keepLast(found) : fail(found);
    unreadable = undefined;
    // Each time, so that they stay known however many tokens come and go.
    onSecrets(secretValues(found));
    if (supply && sameSecrets(supply.secrets, found)) return;
    try {
      await start(found);
    } catch (error) {
      // A package of its kind may be missing.
      fail(new ImportError("DISCOVERY_FAILED", `${name} cannot be started: ${messageOf(error)}`, error));
    }
  }

  async function start(secrets: SourceSecrets): Promise<void> {
    const before = supply?.source;
    const own = ++starts;
    const onOwnSet: OnSet = (set) => {
      if (own === starts) onSet(set);
    };
    const source = await definition.start({ ...wanted, secrets }, { ...surroundings, onSet: onOwnSet });
    if (isClosed) return source.close();
    supply = { secrets, source };
    problem = undefined;
    // Calls go on over the old one until the new one can take them.
    if (before) void source.firstAttempt.then(() => before.close());
  }

  function keepLast({ message }: ImportError): void {
    if (message === unreadable) return;
    unreadable = message;
    log.warn("A secret cannot be read; the last one stays in use", { source: name, reason: message });
  }

  function fail(error: ImportError): void {
    const isNews = !problem;
    if (error.message !== problem?.message)
      log.warn("A source cannot be started", { source: name, code: error.code, reason: error.message });
    problem = error;
    void supply?.source.close();
    supply = undefined;
    starts++;
    // An earlier config may have registered something.
    if (isNews) onSet({ source: { name }, registrations: [] });
  }

  function supplyAgain(): Promise<void> {
    supplying = supplying.then(supplyNow);
    return supplying;
  }

  const timer = setInterval(() => void supplyAgain(), SECRETS_MS).unref();

  const started = supplyAgain();
  return {
    health(): SourceHealth {
      if (problem) return { state: "unhealthy", code: problem.code, reason: problem.message };
      return supply?.source.health() ?? { state: "connecting" };
    },
    lastImport: () => supply?.source.lastImport(),
    firstAttempt: started.then(() => supply?.source.firstAttempt),
    /** Imports its operations again. */
    refresh: async () => supply?.source.refresh(),
    /** Follows a config that says the same about it: its secrets are read again. */
    follow(next: ConfiguredSource): Promise<void> {
      wanted = next;
      return supplyAgain().then(() => supply?.source.firstAttempt);
    },
    reconnects: () => supply?.source.reconnects?.(),
    connectedSince: () => supply?.source.connectedSince?.(),
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await supplying;
      await supply?.source.close();
    },
  };
}

function missingSecrets({ problems }: ConfigError): ImportError {
  const sentences = problems.map((problem) => new ConfigError([problem]).message);
  return new ImportError("UNAUTHORIZED", sentences.join(" "));
}
