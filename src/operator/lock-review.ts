import { definitionOf, loadConfig } from "../adapters/index.ts";
import { ConfigError, type LoadConfigOptions, type LoadedConfig } from "../config/index.ts";
import { openSources } from "../gateway/index.ts";
import { accept, compare, type Difference, lockPath, readLock, writeLock } from "../gateway/lock/index.ts";
import { createLog, SecretsInUse } from "../observe/index.ts";

/** What the sources offer now, held against the lock. */
export interface LockReview {
  readonly path: string;
  readonly differences: readonly Difference[];
  /** What is offered as it was accepted, with all that there is to read. */
  readonly accepted: () => readonly Difference[];
  /** How many definitions there are in all. */
  readonly definitions: number;
  /** Sources that could not be looked at, each with the reason; what was accepted of them stays. */
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
  /** What a reviewer must know first. */
  readonly notes: readonly string[];
  /** Accepts everything that is offered now. */
  accept(): Promise<void>;
}

/** What is reviewed. */
interface ReviewOptions extends LoadConfigOptions {
  /** One source alone; what was accepted of others stays. */
  readonly source?: string | undefined;
}

/** Brings in the sources of a config and compares what they say with what was accepted. */
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
  // No lock is followed: everything that is offered is to be seen.
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

/** What is not locked is not loaded either: a review runs nobody's code. */
function withoutPlugins(loaded: LoadedConfig): LoadedConfig {
  const { config } = loaded;
  const sources = Object.entries(config.sources).filter(([, source]) => !definitionOf(source).isOwnCode);
  return { ...loaded, config: { ...config, sources: Object.fromEntries(sources) } };
}
