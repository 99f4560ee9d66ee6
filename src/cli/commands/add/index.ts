import type { Command } from "../../command.ts";
import { CONFIG_OPTION } from "../../options.ts";

/** `pinhole add`: detects the kind of a source and writes it into the configuration. */
export const add: Command = {
  name: "add",
  summary: "Adds a source: an MCP server, an API, a peer or a plugin.",
  description:
    "Inspects an address or a file, detects its kind, shows its operations and what they would cost a model, " +
    "and writes it into pinhole.yaml; comments and layout stay. A credential is never written down: the configuration " +
    "holds the name of the environment variable that has it.\n\n" +
    "For a program that a client would start (npx …), it says how to put a bridge in front of it: Pinhole starts no " +
    "programs. Write -- before such a line.\n\n" +
    "Every caller of the gateway can call the operations of an added source, unless --external limits them.",
  examples: [
    { line: "pinhole add github https://mcp.example.com/mcp", meaning: "Adds an MCP server." },
    {
      line: "pinhole add pets ./petstore.yaml --external 'get*,find*'",
      meaning: "Adds an API; callers reach some of its operations.",
    },
    { line: "pinhole add west wss://west.example.com/call-protocol", meaning: "Adds another node." },
    { line: "pinhole add local ./operations.ts", meaning: "Adds a plugin." },
    { line: "pinhole add pets https://example.com/openapi.json --dry-run", meaning: "Only shows it." },
  ],
  arguments: [
    { name: "name", description: "Name of the source: the namespace of its operations." },
    { name: "place", description: "Address of a server or document, or a file.", rest: true },
  ],
  options: {
    "dry-run": { description: "Shows what would be added, and changes nothing." },
    yes: { description: "Asks nothing." },
    "token-env": { value: "NAME", description: "Environment variable with the credential." },
    login: { description: "For an MCP server with a login in the browser: pinhole login." },
    server: { value: "URL", description: "Address of an API, instead of the one that its document names." },
    external: {
      value: "LIST",
      description: "Operations that callers can reach: patterns, separated by commas; none for none.",
      default: "*; of a plugin, all that it does not keep internal itself",
    },
    scopes: { value: "LIST", description: "Scopes that a caller needs, separated by commas." },
    config: { ...CONFIG_OPTION, description: "The configuration to change.", default: "pinhole.yaml here" },
  },
  run: async (invocation) => (await import("./run.ts")).runAdd(invocation),
};
