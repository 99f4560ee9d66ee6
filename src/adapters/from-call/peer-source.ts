import { setTimeout as sleep } from "node:timers/promises";
import {
  CallError,
  FloodPause,
  ImportError,
  type Imported,
  isRecord,
  type KeptSource,
  keepImported,
  type OnSet,
  type OperationSpec,
  type SourceSet,
  sameJson,
} from "../../core/index.ts";
import { type Connection, createConnection } from "../../protocol/index.ts";
import { dial, toImportError } from "./dial.ts";
import { forwardingHandler, type Link } from "./forward.ts";
import { importList } from "./import-list.ts";
import type { PeerSourceOptions } from "./options.ts";
import type { Member } from "./peer-directory.ts";
import { followChanges, listAll, listNamed, paced } from "./services.ts";

/** Above this number of changes the whole list is read, instead of operations by name. */
const MAX_NAMED = 500;
const GRACE_MS = 10_000;
const LOOK_AGAIN_MS = 20;

interface PeerSource extends KeptSource {
  /** Number of reconnects. */
  reconnects(): number;
  /** Time of the connection in milliseconds since the epoch; undefined while there is none. */
  connectedSince(): number | undefined;
}

/**
 * Keeps a peer imported: connects, reads its list and follows its changes. Without a connection its operations stay, as
 * those of every source do, and their calls fail with the reason.
 */
export function createPeerSource(options: PeerSourceOptions, onSet: OnSet): PeerSource {
  const { name, title, description, url, nodeId, log } = options;
  const shown = `${url.origin}${url.pathname}`;
  const source = { name, ...(title && { title }), ...(description && { description }) };
  const closing = new AbortController();
  const floods = new FloodPause();
  let connection: Connection | undefined;
  let since = 0;
  /** Changes of the peer are followed. */
  let isFollowed = false;
  let connects = 0;
  let running = 0;
  /** The peer's list by its own names; undefined if the whole list must be read. */
  let known: Map<string, unknown> | undefined;
  /** The list that was read last, and the names that its operations got here. */
  let read: Pick<Member, "listed" | "names"> = { listed: [], names: new Map() };
  let pending = new Set<string>();
  let taken: SourceSet | undefined;
  /** Milliseconds for which the current look has blocked this process. */
  let busyMs = 0;

  const link: Link = {
    where: `The peer ${name}`,
    hopOf: () => nodeId,
    timeoutMs: options.timeoutMs,
    token: options.token,
    connection: () => {
      if (connection) return connection;
      throw notConnected();
    },
    onStale: () => {
      known = undefined;
      // Not at once: repeated calls must not read the list again and again.
      kept.missed();
    },
  };
  const rules = {
    prefix: name,
    handlerOf: (spec: OperationSpec, remoteName: string) => forwardingHandler(spec, remoteName, link),
    nodeId,
    external: options.external,
    scopes: options.scopes,
    operations: options.operations,
    public: options.public,
    capabilities: options.capabilities,
    secrets: options.secrets,
  };

  async function attempt(signal: AbortSignal): Promise<Imported> {
    const hops = [nodeId];
    try {
      const current = connection ?? (await connect(signal));
      if (!isFollowed) await follow(current);
      const named = [...pending];
      pending = new Set();
      // A look without a reported change is for changes that were missed.
      if (known && named.length > 0 && named.length <= MAX_NAMED) {
        const next = new Map(known);
        const found = await listNamed(current, named, { hops, signal });
        for (const gone of named) next.delete(gone);
        for (const each of found) next.set(keyOf(each), each);
        known = next;
      } else known = new Map((await listAll(current, { hops, signal })).map((each) => [keyOf(each), each]));
      const listed = [...known.values()];
      const { registrations, leftOut, names, warnings } = timed(() => importList(listed, rules));
      read = { listed, names };
      return { set: { source, registrations }, leftOut, warnings };
    } catch (error) {
      known = undefined;
      throw toImportError(error, shown);
    }
  }

  async function connect(signal: AbortSignal): Promise<Connection> {
    const cut = floods.reason();
    if (cut !== undefined) throw new ImportError("TRANSPORT", `${shown}: ${cut}.`);
    const opened = counted(createConnection({ transport: await dial(options, signal), log }));
    void opened.closed.then(({ code }) => {
      if (code === "flooded") floods.begin();
    });
    await follow(opened);
    connection = opened;
    since = Date.now();
    connects++;
    void opened.closed.then(({ message }) => lose(message));
    return opened;
  }

  /** Before the list is read, so that no change is missed in between. */
  async function follow(current: Connection): Promise<void> {
    const follower = {
      changed: (names: readonly string[]) => {
        for (const each of names) pending.add(each);
        lookForChanges();
      },
      // Perhaps this node has fewer rights there now; the connection itself is fine.
      lost: () => {
        if (closing.signal.aborted || (connection ?? current) !== current) return;
        isFollowed = false;
        kept.missed();
      },
    };
    known = undefined;
    isFollowed = true;
    try {
      await followChanges(current, { hops: [nodeId], signal: closing.signal }, follower);
    } catch (error) {
      isFollowed = false;
      current.close();
      throw error;
    }
  }

  function lose(reason: string): void {
    connection = undefined;
    isFollowed = false;
    known = undefined;
    if (closing.signal.aborted) return;
    log.warn("A peer is gone; it is connected to again", { source: name, reason });
    // During the pause another look costs nothing, and tells the operator the reason.
    if (floods.reason() === undefined) kept.missed();
    else void kept.refresh();
  }

  function notConnected(): CallError {
    const health = kept.health();
    return health.state === "unhealthy" && health.code === "UNAUTHORIZED"
      ? new CallError(
          "UNAUTHORIZED_UPSTREAM",
          `The peer ${name} does not accept the token of this node. Its operator must renew it.`,
        )
      : new CallError("UNAVAILABLE", `The peer ${name} is not connected at the moment. Try again later.`);
  }

  /** Counts running calls, which get time to end when the source is closed. */
  function counted(current: Connection): Connection {
    return {
      ...current,
      async call(...given) {
        running++;
        try {
          return await current.call(...given);
        } finally {
          running--;
        }
      },
    };
  }

  const kept = keepImported({
    name,
    log,
    refreshMs: options.refreshMs,
    secrets: options.secrets,
    attempt: (signal) => attempt(signal),
    onSet(set) {
      if (!connection) throw new ImportError("TRANSPORT", `${shown} was lost while its list was read.`);
      // An unchanged list is not passed on: every follower of the registry would look through all of it.
      timed(() => isSame(set, taken) || take(set));
      taken = set;
    },
  });

  function take(set: SourceSet): void {
    onSet(set);
    const { capabilities, secrets } = options;
    const isConnected = () => connection !== undefined;
    options.onListed?.({ ...read, link, isConnected, capabilities, secrets });
  }

  const lookForChanges = paced(async () => {
    busyMs = 0;
    await kept.refresh();
    return busyMs;
  });

  function timed<Result>(work: () => Result): Result {
    const start = performance.now();
    try {
      return work();
    } finally {
      busyMs += performance.now() - start;
    }
  }

  return {
    ...kept,
    health() {
      const health = kept.health();
      return health.state === "healthy" && !connection ? { state: "connecting" } : health;
    },
    reconnects: () => Math.max(0, connects - 1),
    connectedSince: () => (connection ? since : undefined),
    async close() {
      await kept.close();
      closing.abort();
      const end = performance.now() + GRACE_MS;
      while (running > 0 && performance.now() < end) await sleep(LOOK_AGAIN_MS);
      connection?.close();
    },
  };
}

function keyOf(listed: unknown): string {
  return isRecord(listed) && typeof listed.name === "string" ? listed.name : JSON.stringify(listed);
}

function isSame(set: SourceSet, taken: SourceSet | undefined): boolean {
  const shown = ({ registrations }: SourceSet) =>
    registrations.map(({ spec, via, selects }) => [spec, via, selects]);
  return taken !== undefined && sameJson(shown(set), shown(taken));
}
