import { CONFIG_FILE, CONFIG_FLAGS, type LoadConfigOptions } from "../gateway/index.ts";
import type { Invocation, Option } from "./command.ts";

const CONFIG_OPTION: Option = {
  value: "FILE",
  description: "The configuration to read.",
  default: `${CONFIG_FILE} here, if there is one`,
};

/** The options of every command that reads the configuration: the file, and the keys that have flags. */
export const CONFIG_OPTIONS: Readonly<Record<string, Option>> = {
  config: CONFIG_OPTION,
  ...Object.fromEntries(
    CONFIG_FLAGS.map(({ name, type, description, default: fallback }) => [
      name,
      {
        description,
        ...(type === "boolean" ? {} : { value: name.toUpperCase() }),
        ...(fallback === undefined ? {} : { default: String(fallback) }),
      },
    ]),
  ),
};

/** Where the configuration is taken from, as typed: what `loadConfig` takes. */
export function configOptionsOf({ options, switches, directory }: Invocation): LoadConfigOptions {
  const flags = CONFIG_FLAGS.map(({ name }) => [name, options[name] ?? (switches.has(name) || undefined)]);
  return { file: options.config, directory, flags: Object.fromEntries(flags) };
}
