import type { OperationSpec } from "./operation.ts";

/** What one identity may take; what is not set is not limited. */
export interface CallLimits {
  /** Over time; what was not used in the last second may be used at once. */
  readonly callsPerSecond?: number;
  /** How many calls run at the same time. */
  readonly concurrent?: number;
  /** The largest output, in bytes of JSON. */
  readonly maxResultBytes?: number;
  /** How many calls a batch may have. */
  readonly batchSize?: number;
  /** How many lasting connections it may have at the same time. */
  readonly connections?: number;
}

/**
 * Whose authority a call runs under. `resources` maps `type:id` (or `type:*`) to the actions that are
 * allowed on it, `*` for all of them.
 */
export interface Identity {
  readonly id: string;
  readonly authenticated: boolean;
  readonly scopes: readonly string[];
  readonly resources?: Readonly<Record<string, readonly string[]>>;
  /** Types of which an ownership port says that the identity has something. Filled in by the gateway, for each call anew. */
  readonly owned?: readonly string[];
  /** What it may take, where that is not what all may. */
  readonly limits?: CallLimits;
  /** What becomes of mutations in everything that it starts; they run where nothing is said. */
  readonly mutations?: MutationPolicy;
}

/** Rights of a composing operation over others, independent of the principal. */
export interface Authority {
  readonly scopes: readonly string[];
  readonly resources?: Readonly<Record<string, readonly string[]>>;
}

/** The identity of a caller that presented no credential. */
export const ANONYMOUS: Identity = Object.freeze({
  id: "anonymous",
  authenticated: false,
  scopes: Object.freeze([]),
});

/** The identity under which an operation composes others; without a declared authority it has none. */
export function identityOfComposer(name: string, authority: Authority | undefined): Identity {
  const id = `operation:${name}`;
  return authority ? { id, authenticated: true, ...authority } : { ...ANONYMOUS, id };
}

/** What becomes of mutations: they run, they are checked but not run, or they are refused. */
export type MutationPolicy = "allow" | "dry" | "deny";

/** The operations that exist through one endpoint of the gateway. */
export interface Reach {
  /** Identifies the reach, for caches of what a caller sees. */
  readonly key: string;
  includes(spec: OperationSpec): boolean;
  /** What becomes of an operation that mutates; it runs where nothing is said. */
  mutations?(spec: OperationSpec): MutationPolicy;
}

/** What both let through; undefined, which limits nothing, takes nothing from the other. */
export function intersect(one: Reach | undefined, other: Reach | undefined): Reach | undefined {
  if (!one || !other || one.key === other.key) return one ?? other;
  return {
    key: JSON.stringify([one.key, other.key]),
    includes: (spec) => one.includes(spec) && other.includes(spec),
    mutations: (spec) => strictest([one.mutations?.(spec), other.mutations?.(spec)]),
  };
}

const STRICTNESS: readonly MutationPolicy[] = ["allow", "dry", "deny"];

/** Of several policies the one that allows least. */
export function strictest(policies: readonly (MutationPolicy | undefined)[]): MutationPolicy {
  const level = Math.max(0, ...policies.map((policy) => STRICTNESS.indexOf(policy ?? "allow")));
  return STRICTNESS[level] ?? "deny";
}

/** Whom and what a policy is looked for. */
interface MutationSite {
  readonly principal: { readonly mutations?: MutationPolicy };
  readonly reach?: Reach | undefined;
  /** What holds for whatever composes the call. */
  readonly mutations?: MutationPolicy;
}

/** Whether what a call would change must stay as it is, for handlers that handle a dry run themselves. */
export function runsDry(spec: OperationSpec, { principal, reach, mutations }: MutationSite): boolean {
  return strictest([principal.mutations, mutations, reach?.mutations?.(spec)]) === "dry";
}

/**
 * What becomes of one call. It holds for everything that a principal starts, however far down: what must
 * change nothing must not do so through a composition either.
 */
export function decideMutation(
  spec: OperationSpec,
  { principal, reach, mutations }: MutationSite,
): MutationPolicy {
  return spec.mutates ? strictest([principal.mutations, mutations, reach?.mutations?.(spec)]) : "allow";
}

/**
 * Outbound secrets of one operation for one principal. Only its methods give a secret away: printing,
 * spreading, inspecting or serialising the object shows nothing.
 */
export class Capabilities {
  /** Capabilities that hold nothing. */
  static readonly none: Capabilities = new Capabilities({});

  readonly #secrets: ReadonlyMap<string, string>;
  readonly #redacted: readonly string[];

  /** All of them are kept out of what a call answers, unless `redacted` says what is. */
  constructor(secrets: Readonly<Record<string, string>>, redacted = Object.values(secrets)) {
    this.#secrets = new Map(Object.entries(secrets));
    this.#redacted = redacted;
  }

  /** The secret of that name, if this principal has one. */
  get(name: string): string | undefined {
    return this.#secrets.get(name);
  }

  /** What is kept out of everything that a call with them answers. */
  redacted(): readonly string[] {
    return this.#redacted;
  }

  toJSON(): string {
    return "[capabilities]";
  }

  toString(): string {
    return "[capabilities]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[capabilities]";
  }
}

/** Finds the capabilities of one operation for the principal that a call runs for. */
export type CapabilityProvider = (
  principal: Identity,
  signal: AbortSignal,
) => Capabilities | Promise<Capabilities>;
