import type { Command } from "../../command.ts";
import { CONFIG_OPTION } from "../../options.ts";

/** `pinhole login`: gets the tokens of a source by having a person sign in. */
export const login: Command = {
  name: "login",
  summary: "Logs in to an MCP server with a browser.",
  description:
    "For a source with oauth: {} in pinhole.yaml. Prints an address to open; signing in there lets this gateway call the " +
    "server. The tokens are kept in a file that only you can read, and renewed as long as the server allows. A running " +
    "gateway notices it by itself.",
  examples: [
    { line: "pinhole login github", meaning: "Logs in to the source github." },
    { line: 'pinhole login github --scopes "read write"', meaning: "Asks for these scopes." },
    { line: "pinhole login --list", meaning: "Shows the logins and when they expire." },
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
    wait: { value: "SECONDS", description: "Time to wait for the browser.", default: "300" },
    list: { description: "Shows the logins that are kept." },
    forget: { description: "Forgets the login." },
    config: CONFIG_OPTION,
  },
  run: async (invocation) => (await import("./run.ts")).runLogin(invocation),
};
