/** Facts about the gateway for a client's settings. */
export interface ClientFacts {
  readonly name: string;
  readonly url: string;
  /** The variable with the token, if one is needed. */
  readonly tokenEnv: string | undefined;
}

/** One more value in the settings of a client. */
export interface Insertion {
  readonly keys: readonly string[];
  /** The name of a member, or empty for an item of a list. */
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** An MCP client and the form of its settings. */
export interface Client {
  readonly title: string;
  /** Its settings of one project. */
  readonly file: string;
  readonly insertions: (facts: ClientFacts) => readonly Insertion[];
  /** A note on how the client gets the token. */
  readonly tokenNote: (tokenEnv: string) => string;
  /** A command that does the same, if there is one. */
  readonly command?: (facts: ClientFacts) => string | undefined;
}

const fromEnvironment = (tokenEnv: string) =>
  `It takes the token from the environment variable ${tokenEnv}: start it where that is set.`;
const TOKEN_INPUT = "pinhole-token";

/** Known clients. Each has its own way to read a token from a variable. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  claude: {
    title: "Claude Code",
    file: ".mcp.json",
    tokenNote: fromEnvironment,
    insertions: ({ name, url, tokenEnv }) => [
      { keys: ["mcpServers"], name, value: { type: "http", url, ...headers(tokenEnv && `\${${tokenEnv}}`) } },
    ],
    // With a token the line would put the secret itself into the settings.
    command: ({ name, url, tokenEnv }) =>
      tokenEnv === undefined ? `claude mcp add --transport http ${name} ${url}` : undefined,
  },
  cursor: {
    title: "Cursor",
    file: ".cursor/mcp.json",
    tokenNote: fromEnvironment,
    insertions: ({ name, url, tokenEnv }) => [
      { keys: ["mcpServers"], name, value: { url, ...headers(tokenEnv && `\${env:${tokenEnv}}`) } },
    ],
  },
  vscode: {
    title: "VS Code",
    file: ".vscode/mcp.json",
    tokenNote: () => "It asks for the token when it connects, and keeps it.",
    insertions: ({ name, url, tokenEnv }) => [
      {
        keys: ["servers"],
        name,
        value: { type: "http", url, ...headers(tokenEnv && `\${input:${TOKEN_INPUT}}`) },
      },
      ...(tokenEnv === undefined
        ? []
        : [
            {
              keys: ["inputs"],
              name: "",
              value: {
                id: TOKEN_INPUT,
                type: "promptString",
                description: `Token for Pinhole (${tokenEnv})`,
                password: true,
              },
            },
          ]),
    ],
    command: ({ name, url, tokenEnv }) =>
      tokenEnv === undefined ? `code --add-mcp '${JSON.stringify({ name, type: "http", url })}'` : undefined,
  },
};

function headers(token: string | undefined): object {
  return token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
}
