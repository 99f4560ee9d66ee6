import type { Command } from "../../command.ts";
import { CONFIG_OPTION } from "../../options.ts";

/** `pinhole lock`: shows definitions that are not accepted yet, and accepts them. */
export const lock: Command = {
  name: "lock",
  summary: "Reviews and accepts the definitions of operations.",
  description:
    "Imports the sources of pinhole.yaml and shows every definition that is new, changed or gone since it was " +
    "accepted, with the texts of its parameters; characters that a screen does not show are written as \\u{…}. At a " +
    "terminal it goes through $PAGER, or less. What you accept is written to pinhole.lock; keep that file under version control. With `lock: enforce` " +
    "in the configuration, a gateway withholds everything else, so that a server cannot change what its tools say " +
    "after they were reviewed; a running one follows the file.",
  examples: [
    { line: "pinhole lock", meaning: "Shows the differences and asks." },
    {
      line: "pinhole lock --source github",
      meaning: "Reviews one source; accepted definitions of others stay.",
    },
    { line: "pinhole lock --file review.txt", meaning: "Writes the review to a file, then asks." },
    { line: "pinhole lock --yes", meaning: "Accepts them without asking." },
    { line: "pinhole lock --check", meaning: "Changes nothing; fails if something differs, for scripts." },
  ],
  options: {
    source: { value: "NAME", description: "Reviews this source alone." },
    all: { description: "Shows every definition, also those that were accepted before." },
    file: { value: "FILE", description: "Writes the review to this file instead of showing it." },
    check: { description: "Changes nothing; the exit code is 1 if something differs." },
    yes: { description: "Accepts without asking." },
    config: CONFIG_OPTION,
  },
  run: async (invocation) => (await import("./run.ts")).runLock(invocation),
};
