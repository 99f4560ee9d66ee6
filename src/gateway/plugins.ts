import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createSourceRules, isRecord, type SourceSet } from "../core/index.ts";
import { type Config, ConfigError } from "./config/index.ts";
import { createDemo } from "./demo/index.ts";
import { asSource } from "./observe/stray-errors.ts";

/** Where a config is, and what was loaded by those before it. */
export interface PluginPlace {
  readonly file: string | undefined;
  readonly directory: string;
  /** How often plugins were loaded before. */
  readonly loads: number;
  /** The plugins that were, by their files. */
  readonly known: Map<string, KnownPlugin>;
}

/** A plugin that was loaded, and of what. */
export interface KnownPlugin {
  readonly digest: string;
  readonly set: SourceSet;
}

/** What a plugin brings, as the config wants it. */
export interface LoadedPlugin extends SourceSet {
  /** What the config says about it that has no effect. */
  readonly warnings?: readonly string[];
}

/** The plugins that a config names, brought in; the demo where there is no config file at all. */
export async function loadPlugins(config: Config, place: PluginPlace): Promise<readonly LoadedPlugin[]> {
  if (place.file === undefined) return createDemo();
  const plugins = Object.entries(config.sources).flatMap(([name, source]) =>
    source.plugin === undefined ? [] : [{ name, plugin: source.plugin, source }],
  );
  return Promise.all(
    plugins.map(async ({ name, plugin, source }) =>
      asConfigured(name, source, await renewPlugin(name, resolve(place.directory, plugin), place)),
    ),
  );
}

function asConfigured(name: string, config: Config["sources"][string], set: SourceSet): LoadedPlugin {
  const { title, description, external, scopes, operations, public: isPublic } = config;
  const rules = createSourceRules({
    external: external === undefined ? undefined : [external].flat().map(String),
    scopes,
    operations,
  });
  return {
    registrations: set.registrations.map((registration) => ({
      ...registration,
      spec: rules.apply(registration.spec),
      public: isPublic,
    })),
    warnings: rules.problems(),
    source: {
      ...set.source,
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    },
  };
}

/**
 * The plugin as it was, with all that it keeps in memory, unless its file has changed. Node never lets go of a module:
 * one that were loaded anew each time would leave its timers and connections behind each time.
 */
async function renewPlugin(name: string, path: string, { loads, known }: PluginPlace): Promise<SourceSet> {
  const digest = await readFile(path).then(
    (content) => createHash("sha256").update(content).digest("hex"),
    () => undefined,
  );
  const before = known.get(path);
  if (before && before.digest === digest) return before.set;
  const set = await asSource(name, () => importPlugin(name, path, loads));
  if (digest !== undefined) known.set(path, { digest, set });
  return set;
}

/** The plugin that a file has; throws a ConfigError where it has none. */
export async function importPlugin(name: string, path: string, loads: number): Promise<SourceSet> {
  // The query makes a reload read the file again; Node keeps modules by their whole address.
  const address = `${pathToFileURL(path).href}?load=${loads}`;
  const module: unknown = await import(address).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`sources.${name}.plugin: ${path} cannot be loaded: ${reason}`);
  });
  const set = isRecord(module) ? module.default : undefined;
  if (isRecord(set) && isRecord(set.source) && Array.isArray(set.registrations)) {
    if (set.registrations.every(isOperation)) return set as unknown as SourceSet;
    throw new ConfigError(
      `sources.${name}.plugin: ${path} has something among its operations that is not an operation. Make each with defineOperation({name, …}).`,
    );
  }
  throw new ConfigError(
    `sources.${name}.plugin: ${path} has no plugin as its default export. Write: export default definePlugin({name, operations}).`,
  );
}

/** Whether it has the parts of an operation; the registry checks what is in them. */
function isOperation(value: unknown): boolean {
  return isRecord(value) && isRecord(value.spec) && isRecord(value.handler);
}
