import type { Command } from "../../command.ts";

const USUAL_ID = "agent";

/** `pinhole token`: creates a token, and says where its hash goes and how a client sends it. */
export const token: Command = {
  name: "token",
  summary: "Creates a token for a client.",
  description:
    "Prints a new token once and the lines for pinhole.yaml. The configuration holds only the hash, so a " +
    "lost token cannot be shown again: make another one.",
  examples: [
    { line: "pinhole token ci", meaning: "Creates a token with the name ci." },
    { line: "pinhole token ci --scopes github,pets", meaning: "Grants it these scopes." },
    { line: "pinhole token ci --json", meaning: "Answers as JSON, for scripts." },
  ],
  arguments: [
    {
      name: "id",
      description: `Name of the token's holder in the log. Default: ${USUAL_ID}`,
      optional: true,
    },
  ],
  options: {
    scopes: { value: "LIST", description: "Scopes of the holder, separated by commas." },
    json: { description: "Prints JSON." },
  },
  run: async (invocation) => (await import("./run.ts")).printToken(invocation, USUAL_ID),
};
