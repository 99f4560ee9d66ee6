import type { Command } from "../../command.ts";

/** `pinhole init`: writes a first configuration. */
export const init: Command = {
  name: "init",
  summary: "Writes a first pinhole.yaml.",
  description:
    "Asks three questions, each with a usual answer, and writes a configuration with comments into the current folder. " +
    "One that is there already is replaced only if you say so, and a copy of it is kept beside it.",
  examples: [
    { line: "pinhole init", meaning: "Asks and writes." },
    { line: "pinhole init --yes", meaning: "Takes the usual answers." },
    {
      line: "pinhole init --yes --port 8080 --token ci",
      meaning: "Listens elsewhere, and only to whoever has a token.",
    },
  ],
  options: {
    yes: { description: "Asks nothing: the usual answer to each question that no option answers." },
    port: { value: "PORT", description: "Port to listen on.", default: "7464" },
    token: { value: "ID", description: "Lets only callers with a token in, and makes one for this id." },
    editor: { description: "Writes pinhole.schema.json too, by which editors help with the configuration." },
    force: { description: "Replaces a configuration that is there; a copy is kept beside it." },
  },
  run: async (invocation) => (await import("./run.ts")).runInit(invocation),
};
