import type { Command } from "../../command.ts";

/** `pinhole init`: writes a first configuration. */
export const init: Command = {
  name: "init",
  summary: "Writes a first pinhole.yaml.",
  description:
    "Asks three questions, each with a default answer, and writes a configuration with comments into the current folder. " +
    "An existing one is replaced only if you say so, and a copy is kept next to it.",
  examples: [
    { line: "pinhole init", meaning: "Asks and writes." },
    { line: "pinhole init --yes", meaning: "Takes the default answers." },
    {
      line: "pinhole init --yes --port 8080 --token ci",
      meaning: "Listens elsewhere, and requires a token.",
    },
  ],
  options: {
    yes: { description: "Asks nothing: takes the default answer to each question that no option answers." },
    port: { value: "PORT", description: "Port to listen on.", default: "7464" },
    token: { value: "ID", description: "Requires a token from callers, and creates one for this id." },
    editor: {
      description: "Also writes pinhole.schema.json, so that editors complete and check the configuration.",
    },
    force: { description: "Replaces an existing configuration; a copy is kept next to it." },
  },
  run: async (invocation) => (await import("./run.ts")).runInit(invocation),
};
