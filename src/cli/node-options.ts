import type { Options } from "./command.ts";
import { CONFIG_OPTION } from "./config-options.ts";

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
