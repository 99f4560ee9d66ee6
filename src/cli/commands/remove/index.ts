import type { Command } from "../../command.ts";
import { CONFIG_OPTION } from "../../options.ts";

/** `pinhole remove`: takes a source out of the configuration. */
export const remove: Command = {
  name: "remove",
  summary: "Removes a source.",
  description:
    "Takes a source out of pinhole.yaml. Everything else in the file stays, comments and layout included.",
  examples: [{ line: "pinhole remove github", meaning: "Removes the source github." }],
  arguments: [{ name: "name", description: "Name of the source." }],
  options: {
    config: { ...CONFIG_OPTION, description: "The configuration to change.", default: "pinhole.yaml here" },
  },
  run: async (invocation) => (await import("./run.ts")).runRemove(invocation),
};
