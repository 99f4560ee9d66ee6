import { type ConnectionOptions, McpConnection } from "./connection.ts";
import type { Watch } from "./watch.ts";

/** A credential that was not used for this long is forgotten; should it come back, it connects again. */
const IDLE_MS = 600_000;

/** The connections to one server: one for each credential, however many callers and calls there are. */
export class Connections {
  readonly #options: Omit<ConnectionOptions, "token" | "watch">;
  readonly #byToken = new Map<string | undefined, McpConnection>();
  /** The one that watches is never idle. */
  #watching: McpConnection | undefined;
  #forgottenReconnects = 0;

  constructor(options: Omit<ConnectionOptions, "token" | "watch">) {
    this.#options = options;
  }

  /** How often a connection was made anew, whichever it was. */
  get reconnects(): number {
    const counts = [...this.#byToken.values()].map(({ reconnects }) => reconnects);
    return counts.reduce((sum, count) => sum + count, this.#forgottenReconnects);
  }

  /** The connection of a credential; opened when it is first used. */
  of(token: string | undefined): McpConnection {
    return this.#byToken.get(token) ?? this.#add(token);
  }

  /** The connection of a credential, which tells of changes as long as it lives. */
  watching(token: string | undefined, watch: Watch): McpConnection {
    this.#watching = this.#add(token, watch);
    return this.#watching;
  }

  /** Ends all of them when their work is done. */
  async close(): Promise<void> {
    await Promise.all([...this.#byToken.values()].map((connection) => connection.close()));
    this.#byToken.clear();
  }

  #add(token: string | undefined, watch?: Watch): McpConnection {
    this.#forgetIdle();
    const connection = new McpConnection({ ...this.#options, token, watch });
    this.#byToken.set(token, connection);
    return connection;
  }

  #forgetIdle(): void {
    const oldest = performance.now() - IDLE_MS;
    for (const [token, connection] of this.#byToken) {
      if (connection === this.#watching || connection.lastUse > oldest) continue;
      this.#byToken.delete(token);
      this.#forgottenReconnects += connection.reconnects;
      void connection.close();
    }
  }
}
