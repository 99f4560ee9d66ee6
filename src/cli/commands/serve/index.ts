import type { Command } from "../../command.ts";
import { CONFIG_OPTION, configFlagOptions } from "../../options.ts";

/** `pinhole serve`: runs the gateway until the program is asked to stop. */
export const serve: Command = {
  name: "serve",
  summary: "Starts the gateway.",
  description:
    "Reads pinhole.yaml and serves the operations of its sources. Without a configuration it serves a few " +
    "operations to try, to this machine only.",
  examples: [
    { line: "pinhole serve", meaning: "Serves the sources of pinhole.yaml here." },
    { line: "pinhole serve --port 8080", meaning: "Listens on another port." },
    { line: "pinhole serve --config team.yaml", meaning: "Reads another configuration." },
  ],
  options: { config: CONFIG_OPTION },
  lateOptions: configFlagOptions,
  endsItself: true,
  run: async (invocation) => (await import("./run.ts")).runServe(invocation),
};
