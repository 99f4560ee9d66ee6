import type { Client } from "@modelcontextprotocol/client";
import type { FloodPause } from "../../core/index.ts";
import { decideRetry } from "../../outbound/index.ts";
import { outcomeOf, toFailure, type UpstreamFailure } from "./failure.ts";
import type { Asker } from "./questions.ts";
import { Session, type SessionOptions, type Watch } from "./session.ts";

/** Where a connection goes, and with what. */
export interface ConnectionOptions extends Omit<SessionOptions, "onStreamLost" | "onFlood"> {
  /** How long the server is left alone after it has sent too much: all connections to it share this. */
  readonly floods?: FloodPause | undefined;
  /** Told when it has. */
  readonly onFlood?: (() => void) | undefined;
  /** Told that there is no token that the server takes, where the gateway gets tokens by itself. */
  readonly onUnauthorized?: (() => void) | undefined;
}

/** How work is done on a connection. */
interface UseOptions {
  /** Whether it may be done again after it failed, when it is not sure that it never ran. */
  readonly isRepeatable: boolean;
  /** Asks whoever the work is done for. */
  readonly asker?: Asker;
  /** The call that it is done for: how many milliseconds that has left, and what ends it. Without one nothing is waited for. */
  readonly call?: { readonly left: () => number | undefined; readonly signal: AbortSignal };
}

/** As often as a request to an API is made. */
const TRIES = 3;

const CLOSED: UpstreamFailure = {
  kind: "broken",
  reason: "the connection has been closed",
  neverRan: true,
  isPassing: false,
  sessionLost: false,
  cause: undefined,
};

/** The failure of work on a connection, recognised. */
export class ConnectionFailure extends Error {
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure) {
    super(failure.reason, { cause: failure.cause });
    this.failure = failure;
  }
}

/**
 * One lasting connection to one server with one credential. It connects when it is first needed, and
 * again when the server has restarted or forgotten its session.
 */
export class McpConnection {
  readonly #options: ConnectionOptions;
  #session: Session | undefined;
  #connecting: Promise<Session> | undefined;
  #lastUse = performance.now();
  #opened = 0;
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** How often it was made anew. */
  get reconnects(): number {
    return Math.max(0, this.#opened - 1);
  }

  /** When it was last used, by `performance.now()`. */
  get lastUse(): number {
    return this.#lastUse;
  }

  /**
   * Does work with a connected client. What surely never ran is done once more where a new connection helps, and
   * so is what may be repeated; a server that asks to wait, or is overloaded, is asked again as an API is. Everything else
   * fails with a ConnectionFailure.
   */
  async use<Result>(
    work: (client: Client) => Promise<Result>,
    { isRepeatable, asker, call }: UseOptions,
  ): Promise<Result> {
    const seen = new Set<UpstreamFailure["kind"]>();
    let hasWaited = false;
    for (let made = 1; ; made++) {
      if (this.#closed) throw new ConnectionFailure(CLOSED);
      const cut = this.#options.floods?.reason();
      if (cut !== undefined) throw new ConnectionFailure({ ...CLOSED, reason: cut });
      const begun = performance.now();
      this.#lastUse = begun;
      let session: Session | undefined;
      try {
        // Without waiting where there is one: it could be given up meanwhile.
        session = this.#session ?? (await this.#connect());
        return await session.use(work, asker);
      } catch (error) {
        if (error instanceof ConnectionFailure) throw error;
        // While it connects nothing has been asked for yet.
        const { token, oauth, secrets, onUnauthorized } = this.#options;
        const site = { token, secrets: secrets?.(), hasSession: session?.isKept };
        const failure = { ...toFailure(error, site), ...(!session && { neverRan: true }) };
        if (session && failure.sessionLost) this.#lose(session);
        if (oauth && failure.kind === "unauthorized") onUnauthorized?.();
        const mayRepeat = failure.isPassing && (failure.neverRan || isRepeatable) && !seen.has(failure.kind);
        if (session && mayRepeat) {
          seen.add(failure.kind);
          continue;
        }
        const { delay } = this.#options.outbound;
        const wait = decideRetry(outcomeOf(failure), {
          made,
          tries: call && delay ? TRIES : 1,
          repeatable: isRepeatable,
          hasWaited,
          tookMs: performance.now() - begun,
          remainingMs: call?.left(),
          random: Math.random(),
        });
        if (!wait) throw new ConnectionFailure(failure);
        hasWaited ||= wait.isAsked;
        await delay?.(wait.milliseconds, call?.signal);
      }
    }
  }

  /** Opens no more sessions, and ends the one there is when its work is done. */
  async close(): Promise<void> {
    this.#closed = true;
    const session = this.#session;
    this.#session = undefined;
    await session?.retire();
  }

  #connect(): Promise<Session> {
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<Session> {
    const { watch } = this.#options;
    const lost = () => {
      if (session) this.#lose(session);
    };
    let session: Session | undefined;
    session = await Session.open({
      ...this.#options,
      onStreamLost: lost,
      onFlood: () => {
        this.#options.floods?.begin();
        lost();
        this.#options.onFlood?.();
      },
      watch: watch && { changed: watch.changed, lost },
    });
    if (this.#closed) {
      void session.retire();
      throw new ConnectionFailure(CLOSED);
    }
    this.#session = session;
    this.#opened++;
    return session;
  }

  /** Work that is running on it may still end well; new work gets a new one. */
  #lose(session: Session): void {
    void session.retire();
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#options.watch?.lost();
  }
}

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
