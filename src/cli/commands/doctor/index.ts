import type { Command } from "../../command.ts";
import { CONFIG_OPTION, configFlagOptions } from "../../options.ts";

/** `pinhole doctor`: finds problems and says what to do. */
export const doctor: Command = {
  name: "doctor",
  summary: "Finds problems, and says what to do.",
  description:
    "Reads the configuration, checks that each credential is set (and never prints one), imports every source, and " +
    "reports unreachable sources, operations that cannot be used, names that clash, patterns and scopes that match " +
    "nothing, the clock and the version. It changes nothing.",
  examples: [
    { line: "pinhole doctor", meaning: "Checks pinhole.yaml here." },
    { line: "pinhole doctor --json", meaning: "Answers as JSON, for scripts." },
  ],
  options: { json: { description: "Prints JSON." }, config: CONFIG_OPTION },
  lateOptions: configFlagOptions,
  exitCodes: { 1: "There is a problem. Notes do not count." },
  run: async (invocation) => (await import("./run.ts")).runDoctor(invocation),
};
