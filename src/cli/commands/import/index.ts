import type { Command } from "../../command.ts";
import { CONFIG_OPTION } from "../../options.ts";

/** `pinhole import`: takes over the MCP servers of a client. */
export const importClient: Command = {
  name: "import",
  summary: "Takes over the MCP servers of an agent's settings.",
  description:
    "Reads the settings of Claude Code, Claude Desktop, Cursor or VS Code and adds the servers that speak HTTP to " +
    "pinhole.yaml. Tokens are not copied: it names the environment variables that have to hold them. For servers that the " +
    "client starts as programs it prints how to put a bridge in front of them, since Pinhole starts no programs.",
  examples: [
    { line: "pinhole import ~/.cursor/mcp.json", meaning: "Takes over what Cursor uses." },
    { line: "pinhole import .vscode/mcp.json --dry-run", meaning: "Only shows what would be added." },
    { line: "pinhole import ~/.claude.json", meaning: "Takes over what Claude Code uses, in all projects." },
  ],
  arguments: [{ name: "file", description: "Settings with mcpServers or servers: JSON, comments allowed." }],
  options: {
    "dry-run": { description: "Shows what would be added, and changes nothing." },
    config: { ...CONFIG_OPTION, description: "The configuration to change.", default: "pinhole.yaml here" },
  },
  run: async (invocation) => (await import("./run.ts")).runImport(invocation),
};
