import type { OperationSpec } from "./operation.ts";

/** Limits of one identity; a limit that is not set does not apply. */
export interface CallLimits {
  /** Average rate; the unused part of the last second may be used at once. */
  readonly callsPerSecond?: number;
  /** Maximum concurrent calls. */
  readonly concurrent?: number;
  /** The largest output, in bytes of JSON. */
  readonly maxResultBytes?: number;
  /** Maximum calls in a batch. */
  readonly batchSize?: number;
  /** Maximum open connections. */
  readonly connections?: number;
}

/**
 * The identity under whose authority a call runs. `resources` maps `type:id` (or `type:*`) to the actions that are
 * allowed on it, `*` for all of them.
 */
export interface Identity {
  readonly id: string;
  readonly authenticated: boolean;
  readonly scopes: readonly string[];
  readonly resources?: Readonly<Record<string, readonly string[]>>;
  /** Types that the identity has something of, by the ownership ports. The gateway fills them in for each call. */
  readonly owned?: readonly string[];
  /** Its own limits, instead of the defaults. */
  readonly limits?: CallLimits;
  /** Policy for mutations in everything that it starts; `allow` by default. */
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

/** Policy for mutations: run them, check them without running, or refuse them. */
export type MutationPolicy = "allow" | "dry" | "deny";

/** The operations that exist through one endpoint of the gateway. */
export interface Reach {
  /** Identifies the reach, for caches of what a caller sees. */
  readonly key: string;
  /** `preset` is the name by which the operation is called, where that is a preset. */
  includes(spec: OperationSpec, preset?: string): boolean;
  /** Policy for an operation that mutates; `allow` by default. */
  mutations?(spec: OperationSpec, preset?: string): MutationPolicy;
}

/** The reach of a call that names a preset. */
export function reachBy(reach: Reach | undefined, preset: string): Reach | undefined {
  if (!reach) return undefined;
  return {
    key: JSON.stringify([reach.key, preset]),
    includes: (spec) => reach.includes(spec, preset),
    mutations: (spec) => reach.mutations?.(spec, preset) ?? "allow",
  };
}

/** The intersection of two reaches; undefined limits nothing. */
export function intersect(one: Reach | undefined, other: Reach | undefined): Reach | undefined {
  if (!one || !other || one.key === other.key) return one ?? other;
  return {
    key: JSON.stringify([one.key, other.key]),
    includes: (spec, preset) => one.includes(spec, preset) && other.includes(spec, preset),
    mutations: (spec, preset) => strictest([one.mutations?.(spec, preset), other.mutations?.(spec, preset)]),
  };
}

const STRICTNESS: readonly MutationPolicy[] = ["allow", "dry", "deny"];

/** The strictest of several policies. */
export function strictest(policies: readonly (MutationPolicy | undefined)[]): MutationPolicy {
  let level = 0;
  for (const policy of policies) level = Math.max(level, STRICTNESS.indexOf(policy ?? "allow"));
  return STRICTNESS[level] ?? "deny";
}

/** Facts about a call that decide the policy. */
interface MutationSite {
  readonly principal: { readonly mutations?: MutationPolicy };
  readonly reach?: Reach | undefined;
  /** The policy inherited from the operation that composes the call. */
  readonly mutations?: MutationPolicy;
}

/** True if the call must change nothing, for handlers that handle a dry run themselves. */
export function runsDry(spec: OperationSpec, { principal, reach, mutations }: MutationSite): boolean {
  return strictest([principal.mutations, mutations, reach?.mutations?.(spec)]) === "dry";
}

/**
 * The policy for one call. It holds for everything that a principal starts, however far down: what must
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

  /** All secrets are kept out of answers, unless `redacted` lists those that are. */
  constructor(secrets: Readonly<Record<string, string>>, redacted = Object.values(secrets)) {
    this.#secrets = new Map(Object.entries(secrets));
    this.#redacted = redacted;
  }

  /** The secret of that name, if this principal has one. */
  get(name: string): string | undefined {
    return this.#secrets.get(name);
  }

  /** The secrets that are kept out of everything that a call with them answers. */
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
