import type { Command } from "../../command.ts";
import { CONFIG_OPTION, configFlagOptions } from "../../config-options.ts";

/** `pinhole doctor`: what is wrong, and what to do. */
export const doctor: Command = {
  name: "doctor",
  summary: "Looks for what is wrong, and says what to do.",
  description:
    "Reads the configuration, looks whether each credential is there (and never prints one), brings in every source, and " +
    "reports what cannot be reached, what a source offers that cannot be used, names that clash, patterns and scopes that fit " +
    "nothing, the clock and the version. It changes nothing.",
  examples: [
    { line: "pinhole doctor", meaning: "Examines what pinhole.yaml here says." },
    { line: "pinhole doctor --json", meaning: "Answers as JSON, for scripts." },
  ],
  options: { json: { description: "Prints JSON." }, config: CONFIG_OPTION },
  lateOptions: configFlagOptions,
  exitCodes: { 1: "Something is wrong. What is only noteworthy does not count." },
  run: async (invocation) => (await import("./run.ts")).runDoctor(invocation),
};
