import type { OperationSpec } from "./operation.ts";

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
