import type { Command } from "../../command.ts";

const USUAL_ID = "agent";

/** `pinhole token`: makes a token, and says where its hash goes and how a client sends it. */
export const token: Command = {
  name: "token",
  summary: "Makes a token for a client.",
  description:
    "Prints a new token once and the lines for pinhole.yaml. The configuration holds only the hash, so a " +
    "lost token cannot be shown again: make another one.",
  examples: [
    { line: "pinhole token ci", meaning: "Makes a token for whoever is called ci." },
    { line: "pinhole token ci --scopes github,pets", meaning: "Allows it what needs these scopes." },
    { line: "pinhole token ci --json", meaning: "Answers as JSON, for scripts." },
  ],
  arguments: [
    {
      name: "id",
      description: `Who holds the token: the name in the log. Default: ${USUAL_ID}`,
      optional: true,
    },
  ],
  options: {
    scopes: { value: "LIST", description: "What the holder may do: scopes, separated by commas." },
    json: { description: "Prints JSON." },
  },
  run: async (invocation) => (await import("./run.ts")).printToken(invocation, USUAL_ID),
};
