import {
  defineOperation,
  definePlugin,
  type JsonSchema,
  OPERATOR_SCOPE,
  ownSet,
  type Registry,
  type SourceSet,
} from "../../core/index.ts";
import type { GatewayLog } from "../../observe/index.ts";
import type { ConnectedPeer } from "../../projections/to-call/index.ts";
import type { UpstreamReport } from "../sources/index.ts";
import { Offers } from "./offers.ts";

const COUNT = { type: "integer", minimum: 0 } as const;
const TIME = { type: "string", format: "date-time" } as const;

const NAMES = { type: "array", items: { type: "string" } } as const;

/** Most operations of one peer that are named; `services/list` has all of them. */
const MAX_NAMES = 500;

const PEERS: JsonSchema = {
  title: "peers",
  type: "object",
  required: ["node", "incoming", "outgoing"],
  properties: {
    node: { type: "string", description: "the id of this node" },
    incoming: {
      type: "array",
      description: "who is connected to this node",
      items: {
        type: "object",
        required: ["id", "identity", "since", "calls", "running", "offers", "operations"],
        properties: {
          id: { type: "string" },
          identity: { type: "string", description: "who opened the connection" },
          since: TIME,
          calls: { ...COUNT, description: "that have come in on it" },
          running: { ...COUNT, description: "of them at the moment, subscriptions included" },
          offers: { ...COUNT, description: "operations that it offers" },
          operations: { ...NAMES, description: "their names here" },
        },
      },
    },
    outgoing: {
      type: "array",
      description: "the nodes whose operations this one imports; sources/list says more",
      items: {
        type: "object",
        required: ["source", "state", "calls", "operations"],
        properties: {
          source: { type: "string" },
          state: { enum: ["connecting", "healthy", "unhealthy"] },
          since: { ...TIME, description: "absent while it is not connected" },
          calls: {
            ...COUNT,
            description: "that were handed on to it under its own name, not that of a group",
          },
          operations: {
            ...NAMES,
            description: `names of its operations here, internal ones too; the first ${MAX_NAMES}`,
          },
          moreOperations: { ...COUNT, description: "how many are not named" },
        },
      },
    },
  },
};

/** Options of peers. */
interface PeersOptions {
  readonly registry: Registry;
  readonly nodeId: string;
  readonly upstreams: () => readonly UpstreamReport[];
  readonly log: GatewayLog;
}

/** The connections to and from this node, and the operations about them. */
export class Peers {
  readonly offers: Offers;
  /** The operations for the registry. */
  readonly set: SourceSet;
  readonly #options: PeersOptions;
  readonly #incoming = new Map<string, ConnectedPeer>();

  constructor(options: PeersOptions) {
    this.#options = options;
    this.offers = new Offers(options.registry, options.nodeId, options.log);
    const set = definePlugin({
      // The slash keeps it apart from the sources of a config.
      name: "services/peers",
      description: "Find operations and read how to call them.",
      operations: [this.#list(), this.#offer()],
    });
    this.set = ownSet(set);
  }

  /** Adds a connection until it closes. */
  joined(peer: ConnectedPeer): void {
    this.#incoming.set(peer.id, peer);
    this.offers.joined(peer);
    void peer.connection.closed.then(() => this.#incoming.delete(peer.id));
  }

  #list() {
    return defineOperation({
      name: "services/list-peers",
      type: "query",
      description:
        "Lists the nodes and programs that are connected to this node, the nodes that it imports from, and the operations of each.",
      outputSchema: PEERS,
      access: { scopes: [OPERATOR_SCOPE] },
      handler: () => ({
        node: this.#options.nodeId,
        incoming: [...this.#incoming.values()].map(({ id, identity, since, calls, connection }) => ({
          id,
          identity: identity.id,
          since: new Date(since).toISOString(),
          calls: calls(),
          running: connection.pending().incoming,
          offers: this.offers.namesOf(id).length,
          operations: this.offers.namesOf(id),
        })),
        outgoing: this.#options
          .upstreams()
          .filter(({ kind }) => kind === "peer")
          .map(({ name, health, connectedSince, calls }) => ({
            source: name,
            state: health.state,
            ...(connectedSince !== undefined && { since: new Date(connectedSince).toISOString() }),
            calls: calls.calls,
            ...this.#operationsOf(name),
          })),
      }),
    });
  }

  #operationsOf(source: string): object {
    const { sources } = this.#options.registry.snapshot();
    const names = (sources.get(source)?.registrations ?? []).map(({ spec }) => spec.name).sort();
    const more = names.length - MAX_NAMES;
    return { operations: names.slice(0, MAX_NAMES), ...(more > 0 && { moreOperations: more }) };
  }

  #offer() {
    return defineOperation({
      name: "services/offer",
      type: "mutation",
      description:
        "Registers the operations that your side of the call protocol serves, in place of those that it offered before; they last as long as the connection. Asks your side for services/list.",
      outputSchema: {
        type: "object",
        properties: {
          operations: { type: "array", items: { type: "string" }, description: "Their names here" },
        },
        required: ["operations"],
      },
      handler: async (_input, context) => ({ operations: await this.offers.offer(context) }),
    });
  }
}
