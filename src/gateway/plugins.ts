import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isRecord, type SourceSet } from "../core/index.ts";
import { type Config, ConfigError } from "./config/index.ts";
import { createDemo } from "./demo/index.ts";

/** The plugins that a config names, brought in; the demo where there is no config file at all. */
export async function loadPlugins(
  config: Config,
  place: { readonly file: string | undefined; readonly directory: string; readonly loads: number },
): Promise<readonly SourceSet[]> {
  if (place.file === undefined) return createDemo();
  const plugins = Object.entries(config.sources).flatMap(([name, source]) =>
    source.plugin === undefined ? [] : [{ name, plugin: source.plugin, source }],
  );
  return Promise.all(
    plugins.map(async ({ name, plugin, source: { title, description } }) => {
      const set = await importPlugin(name, resolve(place.directory, plugin), place.loads);
      return {
        registrations: set.registrations,
        source: {
          ...set.source,
          name,
          ...(title !== undefined && { title }),
          ...(description !== undefined && { description }),
        },
      };
    }),
  );
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
  if (isRecord(set) && isRecord(set.source) && Array.isArray(set.registrations))
    return set as unknown as SourceSet;
  throw new ConfigError(
    `sources.${name}.plugin: ${path} has no plugin as its default export. Write: export default definePlugin({name, operations}).`,
  );
}
