import type { Command } from "../../command.ts";
import { CONFIG_OPTION } from "../../config-options.ts";

/** `pinhole login`: gets the tokens of a source by having a person sign in. */
export const login: Command = {
  name: "login",
  summary: "Logs in to an MCP server with a browser.",
  description:
    "For a source with oauth: {} in pinhole.yaml. Prints an address to open; whoever signs in there lets this gateway call the " +
    "server. What comes of it is kept in a file that only you may read, and renewed as long as the server allows. A gateway that " +
    "is running notices it by itself.",
  examples: [
    { line: "pinhole login github", meaning: "Logs in to the source github." },
    { line: 'pinhole login github --scopes "read write"', meaning: "Asks for these scopes." },
    { line: "pinhole login --list", meaning: "Shows which logins there are, and until when they are good." },
    { line: "pinhole login github --forget", meaning: "Forgets the login of github." },
  ],
  arguments: [{ name: "source", description: "Name of the source.", optional: true }],
  options: {
    scopes: {
      value: "SCOPES",
      description: "Scopes to ask for, with spaces between them.",
      default: "those of the configuration, or those that the server names",
    },
    open: { description: "Opens the address in the browser of this machine." },
    wait: { value: "SECONDS", description: "How long to wait for the browser.", default: "300" },
    list: { description: "Shows the logins that are kept." },
    forget: { description: "Forgets the login." },
    config: CONFIG_OPTION,
  },
  run: async (invocation) => (await import("./run.ts")).runLogin(invocation),
};
