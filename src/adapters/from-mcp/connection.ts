import type { Client } from "@modelcontextprotocol/client";
import type { FloodPause } from "../../core/index.ts";
import { decideRetry } from "../../outbound/index.ts";
import { outcomeOf, toFailure, type UpstreamFailure } from "./failure.ts";
import type { Asker } from "./questions.ts";
import { Session, type SessionOptions, type Watch } from "./session.ts";

/** Options of a connection. */
export interface ConnectionOptions extends Omit<SessionOptions, "onStreamLost" | "onFlood"> {
  /** The pause after the server has sent too much; all connections to it share it. */
  readonly floods?: FloodPause | undefined;
  /** Called when the server has sent too much. */
  readonly onFlood?: (() => void) | undefined;
  /** Called if the gateway gets tokens by itself and the server refuses them. */
  readonly onUnauthorized?: (() => void) | undefined;
}

interface UseOptions {
  /** The work may run twice without harm. */
  readonly isRepeatable: boolean;
  /** Asks the caller of the work. */
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

/** Thrown by work on a connection, with the classified failure. */
export class ConnectionFailure extends Error {
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure) {
    super(failure.reason, { cause: failure.cause });
    this.failure = failure;
  }
}

/**
 * A lasting connection to one server with one credential. It connects on first use, and
 * again when the server has restarted or lost its session.
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

  /** Number of reconnects. */
  get reconnects(): number {
    return Math.max(0, this.#opened - 1);
  }

  /** Time of the last use, by `performance.now()`. */
  get lastUse(): number {
    return this.#lastUse;
  }

  /**
   * Runs work with a connected client. Work that surely never ran, or that may run twice, is repeated once if a new
   * connection may help; a server that asks to wait or is overloaded is asked again as an API is. Otherwise the work
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
      const begun = performance.now();
      this.#lastUse = begun;
      let session: Session | undefined;
      try {
        // Without an await if there is a session: it could be given up meanwhile.
        session = this.#session ?? (await this.#connect());
        return await session.use(work, asker);
      } catch (error) {
        if (error instanceof ConnectionFailure) throw error;
        // While the client connects, no request has been sent yet.
        const { token, oauth, secrets, onUnauthorized } = this.#options;
        const site = { token, secrets: secrets?.(), hasSession: session?.isKept };
        const failure = { ...toFailure(error, site), ...(!session && { neverRan: true }) };
        if (session && failure.sessionLost) this.#lose(session);
        if (oauth && failure.kind === "unauthorized") onUnauthorized?.();
        const mayRepeat = failure.isPassing && (failure.neverRan || isRepeatable) && !seen.has(failure.kind);
        if ((session || failure.sessionLost) && mayRepeat) {
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

  /** Opens no more sessions, and ends the current one after its work. */
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
    const { watch, floods } = this.#options;
    const cut = floods?.reason();
    if (cut !== undefined) throw new ConnectionFailure({ ...CLOSED, reason: cut });
    const lost = () => {
      if (session) this.#lose(session);
    };
    let session: Session | undefined;
    session = await Session.open({
      ...this.#options,
      onStreamLost: lost,
      onFlood: () => {
        floods?.begin();
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

  /** Running work may still succeed; new work gets a new session. */
  #lose(session: Session): void {
    void session.retire();
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#options.watch?.lost();
  }
}

/** The connection of a credential is closed after this time without use. */
const IDLE_MS = 600_000;

/** The connections to one server: one per credential, shared by all callers and calls. */
export class Connections {
  /** Set while the source is unhealthy: a call that the server answers shows that it is back. */
  answered: (() => void) | undefined;
  readonly #options: Omit<ConnectionOptions, "token" | "watch">;
  readonly #byToken = new Map<string | undefined, McpConnection>();
  /** The watching connection is never idle. */
  #watching: McpConnection | undefined;
  #forgottenReconnects = 0;

  constructor(options: Omit<ConnectionOptions, "token" | "watch">) {
    this.#options = options;
  }

  /** Number of reconnects of all connections. */
  get reconnects(): number {
    const counts = [...this.#byToken.values()].map(({ reconnects }) => reconnects);
    return counts.reduce((sum, count) => sum + count, this.#forgottenReconnects);
  }

  /** The connection of a credential, opened on first use. */
  of(token: string | undefined): McpConnection {
    return this.#byToken.get(token) ?? this.#add(token);
  }

  /** The connection of a credential that also reports changes. */
  watching(token: string | undefined, watch: Watch): McpConnection {
    this.#watching = this.#add(token, watch);
    return this.#watching;
  }

  /** Closes all connections after their work. */
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
