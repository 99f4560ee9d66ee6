import type { OperationContext } from "./context.ts";
import type { Authority, CapabilityProvider } from "./identity.ts";
import type { UnknownRecord } from "./json.ts";
import type { OperationSpec } from "./operation.ts";
import type { Ownership } from "./ownership.ts";
import type { OutboundFetch } from "./ports.ts";
import type { Preset } from "./preset.ts";
import type { Route } from "./route.ts";

/** Answers a query or a mutation. */
export interface OnceHandler {
  readonly kind: "once";
  readonly run: (input: unknown, context: OperationContext) => unknown;
}

/** Serves a subscription. */
export interface StreamHandler {
  readonly kind: "stream";
  readonly run: (input: unknown, context: OperationContext) => AsyncIterable<unknown>;
}

/** The code of an operation. */
export type Handler = OnceHandler | StreamHandler;

/** Origin of an operation. Only `local` ones may compose others. */
export type Provenance = "local" | "from-mcp" | "from-openapi" | "from-call";

/** An operation as the registry holds it. */
export interface Registration {
  readonly spec: OperationSpec;
  readonly handler: Handler;
  readonly provenance: Provenance;
  /** The authority under which it composes others. */
  readonly authority?: Authority;
  /** Names or patterns of the operations that it may compose. */
  readonly scopedEnv?: readonly string[];
  readonly capabilities?: CapabilityProvider;
  /** Tools that call it with arguments fixed, picked or renamed. */
  readonly tools?: readonly Preset[];
  /** The HTTP client of its handler; dispatch's if not set. */
  readonly fetch?: OutboundFetch;
  /** Current secrets of its source. With those of the capabilities they are kept out of everything that its calls answer. */
  readonly secrets?: () => readonly string[];
  /** Other operations of this registry that its calls run as; an identity that is denied one of them is denied it too. */
  readonly runsAs?: readonly string[];
  /** The nodes that a call of it passes after this one, in order; empty if it runs here. */
  readonly via?: readonly string[];
  /** Its handler answers with what `context.select` makes of the output. Without this, dispatch applies `select` to the answer. */
  readonly selects?: true;
  /** Destination of its calls, if its source decides that: named parts that a reviewer can read. */
  readonly target?: UnknownRecord;
  /** The operator trusts the hints of this imported operation. Hints of local operations are our own. */
  readonly trustsHints?: boolean;
  /** The connection that offers it, which may always call its own operations. */
  readonly owner?: string;
  /** Callers without an identity may reach it even if identities are configured; by default only local operations. */
  readonly public?: boolean;
}

/** Thrown when a set of registrations cannot enter the registry; nothing has changed then. */
export class RegistrationError extends Error {
  /** `NAME_COLLISION`: a name is taken. `SCHEMA_PARSE`: the registration is inconsistent. */
  readonly code: "NAME_COLLISION" | "SCHEMA_PARSE";

  constructor(message: string, code: RegistrationError["code"] = "SCHEMA_PARSE") {
    super(message);
    this.code = code;
  }
}

/** The source of a set of registrations. */
export interface Source {
  readonly name: string;
  readonly title?: string;
  /** One line about what the operations are for; agents see it for the namespaces of this source. */
  readonly description?: string;
  /** Set: only calls that come in on this connection, or of the caller with this overlay, see the operations. */
  readonly connection?: string;
}

const OWN: unique symbol = Symbol("own");

/** A source with all its registrations. */
export interface SourceSet {
  /** Set by `ownSet`: the set belongs to the gateway itself. */
  readonly [OWN]?: true;
  readonly source: Source;
  readonly registrations: readonly Registration[];
  /** Says who has which of the resources that operations act on. */
  readonly ownership?: Ownership;
  /** HTTP addresses beside its operations. */
  readonly routes?: readonly Route[];
  /** Ends what its operations have opened, such as connections and timers; called once, when no call needs them. */
  readonly close?: () => unknown;
}

/** Marks a set as one of the gateway itself, which alone may register in the reserved namespaces. */
export function ownSet(set: SourceSet): SourceSet {
  return { ...set, [OWN]: true };
}

/** True for a set that `ownSet` marked; a plugin or another node cannot forge the mark. */
export function isOwnSet(set: SourceSet): boolean {
  return set[OWN] === true;
}

/** One registered operation together with the source that brought it. */
export interface Entry {
  readonly registration: Registration;
  readonly source: Source;
}

/** A plugin: a source of local operations under one name. */
export interface PluginDefinition extends Omit<Source, "connection"> {
  readonly operations: readonly Registration[];
  readonly ownership?: Ownership;
  readonly routes?: readonly Route[];
  /** Ends what the plugin has opened: called when another version has taken its place, and when the gateway stops. */
  readonly close?: () => unknown;
}

/**
 * Makes a set of local operations that enters the registry as one source.
 *
 *     definePlugin({ name: "demo", description: "Things to try.", operations: [greet, count] })
 */
export function definePlugin(definition: PluginDefinition): SourceSet {
  const { operations, ownership, routes, close, ...source } = definition;
  return {
    source,
    registrations: operations,
    ...(ownership && { ownership }),
    ...(routes && { routes }),
    ...(close && { close }),
  };
}
