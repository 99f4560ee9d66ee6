import type { Command } from "../../command.ts";
import { CONFIG_OPTION } from "../../options.ts";

/** `pinhole connect`: the side of the agent. */
export const connect: Command = {
  name: "connect",
  summary: "Connects an agent: Claude Code, Cursor or VS Code.",
  description:
    "Prints the client's settings for this gateway, or writes them (--write) into the settings of the project in the " +
    "current folder: .mcp.json, .cursor/mcp.json or .vscode/mcp.json. Everything else in that file stays, and the file as it " +
    "was is kept next to it.",
  examples: [
    { line: "pinhole connect claude", meaning: "Prints the command for Claude Code." },
    { line: "pinhole connect cursor --write", meaning: "Writes .cursor/mcp.json." },
    {
      line: "pinhole connect vscode --write --token-env PINHOLE_TOKEN",
      meaning: "With a token, which VS Code asks for.",
    },
  ],
  arguments: [
    { name: "client", description: "claude, cursor or vscode.", choices: ["claude", "cursor", "vscode"] },
  ],
  options: {
    write: { description: "Writes the settings instead of printing them." },
    url: { value: "URL", description: "Address of the gateway.", default: "the one in pinhole.yaml" },
    "token-env": {
      value: "NAME",
      description: "Environment variable from which the client takes the token.",
    },
    name: { value: "NAME", description: "Name of the gateway in the client.", default: "pinhole" },
    config: CONFIG_OPTION,
  },
  run: async (invocation) => (await import("./run.ts")).runConnect(invocation),
};
