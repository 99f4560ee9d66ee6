import { type ConnectionOptions, McpConnection } from "./connection.ts";

/** The connections to one server: one for each credential, however many callers and calls there are. */
export class Connections {
  readonly #options: Omit<ConnectionOptions, "token" | "onListChanged">;
  readonly #byToken = new Map<string | undefined, McpConnection>();

  constructor(options: Omit<ConnectionOptions, "token" | "onListChanged">) {
    this.#options = options;
  }

  /** The connection of a credential; opened when it is first used. */
  of(token: string | undefined, onListChanged?: () => void): McpConnection {
    let connection = this.#byToken.get(token);
    if (!connection) {
      connection = new McpConnection({ ...this.#options, token, ...(onListChanged && { onListChanged }) });
      this.#byToken.set(token, connection);
    }
    return connection;
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#byToken.values()].map((connection) => connection.close()));
    this.#byToken.clear();
  }
}
