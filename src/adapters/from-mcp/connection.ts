import type { Client } from "@modelcontextprotocol/client";
import { type Failure, toFailure } from "./failure.ts";
import { Session, type SessionOptions } from "./session.ts";

/** Where a connection goes, and with what. */
export type ConnectionOptions = Omit<SessionOptions, "onStreamLost">;

/** Whether work may be done again after it failed, when it is not sure that it never ran. */
export interface Repeat {
  readonly isRepeatable: boolean;
}

/** The failure of work on a connection, recognised. */
export class ConnectionFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
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
  #lastUse = Date.now();
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** When it was last used. */
  get lastUse(): number {
    return this.#lastUse;
  }

  /**
   * Does work with a connected client. What surely never ran is done once more where a new connection helps, and
   * so is what may be repeated; everything else fails with a ConnectionFailure.
   */
  async use<Result>(work: (client: Client) => Promise<Result>, { isRepeatable }: Repeat): Promise<Result> {
    const seen = new Set<Failure["kind"]>();
    for (;;) {
      this.#lastUse = Date.now();
      let session: Session | undefined;
      try {
        session = await this.#connect();
        return await session.use(work);
      } catch (error) {
        const failure = this.#recognise(error, session);
        if (session && failure.sessionLost) this.#drop(session);
        const mayRepeat = failure.isPassing && (failure.neverRan || isRepeatable) && !seen.has(failure.kind);
        if (!session || !mayRepeat || this.#closed) throw new ConnectionFailure(failure);
        seen.add(failure.kind);
      }
    }
  }

  /** Opens no more sessions, and ends the one there is when its work is done. */
  async close(): Promise<void> {
    this.#closed = true;
    const session = this.#session ?? (await this.#connecting?.catch(() => undefined));
    this.#session = undefined;
    await session?.retire();
  }

  #connect(): Promise<Session> {
    if (this.#closed) return Promise.reject(new Error("The connection has been closed"));
    if (this.#session) return Promise.resolve(this.#session);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<Session> {
    const { watch } = this.#options;
    // One that is no longer ours was given up already; what happens to it concerns nobody.
    const lost = () => {
      if (session === undefined || this.#session !== session) return;
      this.#drop(session);
      watch?.lost();
    };
    let session: Session | undefined;
    session = await Session.open({
      ...this.#options,
      onStreamLost: lost,
      watch: watch && { changed: watch.changed, lost },
    });
    if (!this.#closed) this.#session = session;
    return session;
  }

  #recognise(error: unknown, session: Session | undefined): Failure {
    const failure = toFailure(error, this.#options.token);
    // While it connects nothing has been asked for yet.
    return session && !this.#closed ? failure : { ...failure, neverRan: true };
  }

  #drop(session: Session): void {
    if (this.#session === session) this.#session = undefined;
    void session.retire();
  }
}
