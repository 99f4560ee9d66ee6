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

/** The options of every command that talks to a node, or brings in a configuration itself. */
export const NODE_OPTIONS: Options = {
  url: {
    value: "URL",
    description: "Running node to ask, such as http://127.0.0.1:7464.",
    default: "PINHOLE_URL",
  },
  "token-env": {
    value: "NAME",
    description: "Environment variable with the token for it.",
    default: "PINHOLE_TOKEN",
  },
  config: {
    ...CONFIG_OPTION,
    description: "Without a node: the configuration whose sources are imported.",
  },
  json: { description: "Prints JSON." },
};

/** Exit codes of commands that call an operation. */
export const CALL_EXIT = { notFound: 3, forbidden: 4, invalidInput: 5, unreachable: 6 } as const;

/** The same, for help. */
export const CALL_EXIT_CODES: Readonly<Record<number, string>> = {
  1: "The call failed; the error says why.",
  [CALL_EXIT.notFound]: "There is no such operation (NOT_FOUND).",
  [CALL_EXIT.forbidden]: "It is not allowed, or the token is wrong (FORBIDDEN).",
  [CALL_EXIT.invalidInput]: "The input is invalid (INVALID_INPUT).",
  [CALL_EXIT.unreachable]: "The node cannot be reached.",
};
