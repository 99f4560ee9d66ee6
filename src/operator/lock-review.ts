import { definitionOf, loadConfig } from "../adapters/index.ts";
import { ConfigError, type LoadConfigOptions, type LoadedConfig } from "../config/index.ts";
import { openSources } from "../gateway/index.ts";
import { accept, compare, type Difference, lockPath, readLock, writeLock } from "../gateway/lock/index.ts";
import { createLog, SecretsInUse } from "../observe/index.ts";

/** Comparison of the current definitions of the sources with the lock. */
export interface LockReview {
  readonly path: string;
  readonly differences: readonly Difference[];
  /** Unchanged definitions with all their texts. */
  readonly accepted: () => readonly Difference[];
  /** Number of all definitions. */
  readonly definitions: number;
  /** Sources that could not be read, each with the reason; their accepted definitions stay. */
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
  /** Notes for the reviewer. */
  readonly notes: readonly string[];
  /** Accepts all current definitions. */
  accept(): Promise<void>;
}

interface ReviewOptions extends LoadConfigOptions {
  /** One source alone; accepted definitions of others stay. */
  readonly source?: string | undefined;
}

/** Loads the sources of a config and compares their definitions with the lock. */
export async function reviewLock(options: ReviewOptions): Promise<LockReview> {
  const loaded = await loadConfig(options);
  const { config, directory } = loaded;
  const path = lockPath(directory);
  if (options.source !== undefined && !Object.hasOwn(config.sources, options.source))
    throw new ConfigError(
      `--source: there is no source ${options.source}. There are ${Object.keys(config.sources).join(", ")}.`,
    );
  const isReviewed = (name: string) => options.source === undefined || name === options.source;
  const notes: string[] = [];
  const pins = readLock(path, (why) => notes.push(why)) ?? new Map();
  const secrets = new SecretsInUse();
  // Without the lock in force, so that all definitions are visible.
  const { registry, upstreams } = openSources({ log: secrets.guard(createLog("error")), secrets });
  try {
    await upstreams.follow(upstreams.plan(withoutPlugins(loaded)));
    await upstreams.firstAttempts();
    const failed = upstreams
      .report()
      .flatMap(({ name, health }) =>
        health.state === "healthy"
          ? []
          : [{ source: name, reason: health.state === "unhealthy" ? health.reason : "it has not answered" }],
      );
    const sets = [...registry.snapshot().sources.values()].filter(({ source }) => isReviewed(source.name));
    const known = new Set(Object.keys(config.sources));
    const differences = compare(sets, pins);
    const differing = new Set(differences.map(({ operation }) => operation));
    return {
      path,
      differences,
      accepted: () => compare(sets, new Map()).filter(({ operation }) => !differing.has(operation)),
      definitions: sets.reduce((sum, { registrations }) => sum + registrations.length, 0),
      failed: failed.filter(({ source }) => isReviewed(source)),
      notes,
      accept: () => writeLock(path, accept(sets, pins, known)),
    };
  } finally {
    await upstreams.close();
  }
}

/** Plugins are not locked and not loaded: a review runs no foreign code. */
function withoutPlugins(loaded: LoadedConfig): LoadedConfig {
  const { config } = loaded;
  const sources = Object.entries(config.sources).filter(([, source]) => !definitionOf(source).isOwnCode);
  return { ...loaded, config: { ...config, sources: Object.fromEntries(sources) } };
}
