import type { Identity } from "./identity.ts";
import { isRecord } from "./json.ts";

/** A type of resources, and what a call would do with one. */
export interface ResourceClass {
  readonly type: string;
  readonly action: string;
}

/** One resource that a call would act on. */
export interface Resource extends ResourceClass {
  readonly id: string;
}

/**
 * The port that says which resources an identity has, beside the static grants of that identity. A plugin brings it for
 * the types that it decides over. It is asked for callers with an identity only; where it fails, they have none.
 */
export interface Ownership {
  /** The types that it decides over. No two plugins decide over the same one. */
  readonly decides: readonly string[];
  /** The types that the identity has something of; operations of other types stay hidden. Kept for a minute. */
  types(identity: Identity, signal: AbortSignal): readonly string[] | Promise<readonly string[]>;
  /** True if the identity may act on this resource; asked at each call. */
  owns(identity: Identity, resource: Resource, signal: AbortSignal): boolean | Promise<boolean>;
  /** The ids of what the identity may act on; `*` among them means all. */
  list(
    identity: Identity,
    resources: ResourceClass,
    signal: AbortSignal,
  ): readonly string[] | Promise<readonly string[]>;
}

/** The ports by the types that they decide over. */
export type OwnershipPorts = ReadonlyMap<string, Ownership>;

const METHODS = ["types", "owns", "list"] as const;

/** The problem of a value that a plugin exports as its ownership. */
export function problemOfOwnership(ownership: unknown): string | undefined {
  if (!isRecord(ownership)) return "ownership must be an object with decides, types, owns and list";
  const { decides } = ownership;
  const named = Array.isArray(decides) && decides.length > 0 && decides.every(isType);
  if (!named)
    return 'ownership.decides must list the types of resources that it decides over, as ["project"]';
  const missing = METHODS.find((method) => typeof ownership[method] !== "function");
  if (missing) return `ownership.${missing} must be a function`;
  const unknown = Object.keys(ownership).find((key) => ![...METHODS, "decides"].includes(key));
  return unknown === undefined
    ? undefined
    : `ownership.${unknown} has no meaning; it knows decides, ${METHODS.join(", ")}`;
}

/** Grants are written as type:id, so that a type has no colon. */
function isType(type: unknown): boolean {
  return typeof type === "string" && /^[^:*\s]+$/.test(type);
}
