import { createHash } from "node:crypto";
import { importOffer, listOffer } from "../../adapters/from-call/index.ts";
import type { Config } from "../../config/index.ts";
import {
  CallError,
  type Change,
  compilePatterns,
  type Identity,
  messageOf,
  type OperationContext,
  ownSet,
  RegistrationError,
  type Registry,
} from "../../core/index.ts";
import type { GatewayLog } from "../../observe/index.ts";
import type { ConnectedPeer } from "../../projections/to-call/index.ts";

/** The namespace of all offered operations, so that they cannot take another name. */
const NAMESPACE = "offers";

/** Settings of offers. */
interface OfferSetting extends Pick<Config["peers"]["offers"], "external" | "scopes"> {
  /** True if only operations that an operator has accepted may be shown to all. */
  readonly locked: boolean;
  readonly timeoutMs: number;
}

interface Standing {
  readonly listed: readonly unknown[];
  readonly principal: Identity;
}

/** One connection and its offer. */
interface Client {
  readonly peer: ConnectedPeer;
  standing: Standing | undefined;
  /** Of its operations here. */
  names: readonly string[];
}

/** The operations that connections offer: each lives as long as its connection, and only that sees it unless the config says otherwise. */
export class Offers {
  readonly #registry: Registry;
  readonly #nodeId: string;
  readonly #log: GatewayLog;
  /** By the id of the connection; the latest offer is the last. */
  readonly #clients = new Map<string, Client>();
  /** The connection whose operations are shown to all under the name of an identity: the latest offer. */
  readonly #shown = new Map<string, string>();
  #setting: OfferSetting = { external: [], scopes: [], locked: false, timeoutMs: 60_000 };

  constructor(registry: Registry, nodeId: string, log: GatewayLog) {
    this.#registry = registry;
    this.#nodeId = nodeId;
    this.#log = log;
  }

  /** The names of their sources. */
  sources(): readonly string[] {
    return [...this.#registry.snapshot().sources.keys()].filter((name) => name.startsWith(`${NAMESPACE}:`));
  }

  /** The names here of the operations that a connection offers. */
  namesOf(connection: string): readonly string[] {
    return this.#clients.get(connection)?.names ?? [];
  }

  /** Follows a config: the visibility of all offers is decided again, in their order. */
  follow(setting: OfferSetting): void {
    if (JSON.stringify(setting) === JSON.stringify(this.#setting)) return;
    this.#setting = setting;
    // All of them first: a name that was shown to all may now belong to another connection alone.
    this.#registry.apply({ remove: this.sources() });
    this.#shown.clear();
    for (const client of this.#clients.values()) this.#registerAgain(client);
  }

  /** Adds a connection until it closes. */
  joined(peer: ConnectedPeer): void {
    this.#clients.set(peer.id, { peer, standing: undefined, names: [] });
    void peer.connection.closed.then(() => {
      this.withdraw(peer.id);
      this.#clients.delete(peer.id);
    });
  }

  /** Asks the connection of a call for its operations, which replace its earlier offer. */
  async offer({ connection, principal, signal }: OperationContext): Promise<readonly string[]> {
    const client = connection === undefined ? undefined : this.#clients.get(connection);
    if (!client) {
      throw new CallError(
        "INVALID_INPUT",
        "Only what is connected by the call protocol can offer operations, because they are called over the same connection.",
      );
    }
    const { id } = client.peer;
    const listed = await listOffer(client.peer.connection, { hops: [this.#nodeId], signal });
    if (!this.#clients.has(id)) throw new CallError("ABORTED", "The connection is closed.");
    const names = this.#register(client, { listed, principal });
    this.#clients.delete(id);
    this.#clients.set(id, client);
    return names;
  }

  /** Removes the offer of a connection. */
  withdraw(id: string): void {
    const client = this.#clients.get(id);
    if (!client?.standing) return;
    client.standing = undefined;
    client.names = [];
    const left = this.#shownBy(id);
    this.#registry.apply({ remove: [privateName(id), ...left.map(sharedName)] });
    this.#fallBack(left);
  }

  #register(client: Client, standing: Standing): readonly string[] {
    const { id, connection } = client.peer;
    const segment = segmentOf(standing.principal);
    const { shared, own } = importOffer(standing.listed, {
      connection,
      owner: id,
      prefix: `${NAMESPACE}/${segment}`,
      nodeId: this.#nodeId,
      timeoutMs: this.#setting.timeoutMs,
      isShared: this.#sharedBy(standing.principal, segment),
      scopes: this.#setting.scopes,
    });
    const isShown = shared.length > 0;
    const left = this.#shownBy(id).filter((each) => each !== segment || !isShown);
    const forItself = ownSet({ source: { name: privateName(id), connection: id }, registrations: own });
    const forAll = ownSet({ source: { name: sharedName(segment) }, registrations: shared });
    this.#apply({ replace: isShown ? [forAll, forItself] : [forItself], remove: left.map(sharedName) });
    const names = [...shared, ...own].map(({ spec }) => spec.name);
    client.standing = standing;
    client.names = names;
    if (isShown) this.#show(segment, id);
    this.#fallBack(left);
    return names;
  }

  #apply(change: Change): void {
    try {
      this.#registry.apply(change);
    } catch (error) {
      if (!(error instanceof RegistrationError)) throw error;
      throw new CallError("INVALID_INPUT", `The offer is not taken: ${error.message}`);
    }
  }

  /** An offer that was taken before may no longer fit, and must not keep others out. */
  #registerAgain(client: Client): void {
    if (!client.standing) return;
    try {
      this.#register(client, client.standing);
    } catch (error) {
      const reason = messageOf(error);
      this.#log.warn("An offer cannot be kept", { connection: client.peer.id, reason });
      this.withdraw(client.peer.id);
    }
  }

  #show(segment: string, id: string): void {
    const before = this.#shown.get(segment);
    if (before !== undefined && before !== id)
      this.#log.warn("A newer connection offers in the place of an older one", { as: segment });
    this.#shown.set(segment, id);
  }

  /** The names under which a connection shows operations to all. */
  #shownBy(id: string): readonly string[] {
    return [...this.#shown].filter(([, owner]) => owner === id).map(([segment]) => segment);
  }

  /** These names are free: restores the offer of the connection before. */
  #fallBack(segments: readonly string[]): void {
    for (const segment of segments) this.#shown.delete(segment);
    for (const client of [...this.#clients.values()].toReversed()) {
      const segment = client.standing && segmentOf(client.standing.principal);
      if (segment === undefined || !segments.includes(segment) || this.#shown.has(segment)) continue;
      this.#registerAgain(client);
    }
  }

  /** Once identities are configured, an offer for all needs one; the operations are found under its name. */
  #sharedBy({ authenticated }: Identity, segment: string): (name: string) => boolean {
    const { external, locked } = this.#setting;
    const { identitiesConfigured } = this.#registry.snapshot().policy;
    if (locked || external.length === 0 || (identitiesConfigured && !authenticated)) return () => false;
    const matches = compilePatterns(external);
    return (name) => matches(`${segment}/${name}`);
  }
}

function privateName(connection: string): string {
  return `${NAMESPACE}:${connection}`;
}

function sharedName(segment: string): string {
  return `${NAMESPACE}:as:${segment}`;
}

/** The id of an identity as a part of a name; an id that is not a valid part is made unique by a digest. */
function segmentOf({ id }: Identity): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(id)) return id;
  const digest = createHash("sha256").update(id).digest("hex").slice(0, 8);
  return `${id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 48)}-${digest}`;
}
