import type { LoadConfigOptions } from "../config/index.ts";
import type { Invocation, Option, Options } from "./command.ts";

/** The option of every command that reads the configuration. */
export const CONFIG_OPTION: Option = {
  value: "FILE",
  description: "The configuration to read.",
  default: "pinhole.yaml here, if there is one",
};

/** The keys of the configuration that have flags, as options. */
export async function configFlagOptions(): Promise<Options> {
  const { CONFIG_FLAGS } = await import("../config/index.ts");
  return Object.fromEntries(
    CONFIG_FLAGS.map(({ name, type, description, default: fallback }) => [
      name,
      {
        description,
        ...(type === "boolean" ? {} : { value: name.toUpperCase() }),
        ...(fallback === undefined ? {} : { default: String(fallback) }),
      },
    ]),
  );
}

/** Arguments of `loadConfig` from the command line. */
export async function configOptionsOf({
  options,
  switches,
  directory,
}: Invocation): Promise<LoadConfigOptions> {
  const { CONFIG_FLAGS } = await import("../config/index.ts");
  const flags = CONFIG_FLAGS.map(({ name }) => [name, options[name] ?? (switches.has(name) || undefined)]);
  return { file: options.config, directory, flags: Object.fromEntries(flags) };
}
