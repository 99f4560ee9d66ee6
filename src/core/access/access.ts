import {
  atPointer,
  type Identity,
  type Reach,
  type Registration,
  type Resource,
  type ResourceAccess,
  type ResourceClass,
} from "../model/index.ts";

/** The rules that hold for every operation. */
export interface AccessPolicy {
  /** Patterns of operations that are switched off altogether. */
  readonly deny: readonly string[];
  /** False: callers from outside without identity may call nothing. */
  readonly anonymous: boolean;
  /** True: what a caller may not call looks to it as if it did not exist. */
  readonly hideForbidden: boolean;
  /** True: a caller with an identity is told which scopes or resources it lacks. Without effect under `hideForbidden`. */
  readonly tellMissingScopes?: boolean;
  /** True once identities exist: callers then need one for operations of sources that are not public. */
  readonly identitiesConfigured: boolean;
}

/** The policy of a gateway that is not told otherwise. */
export const DEFAULT_POLICY: AccessPolicy = Object.freeze({
  deny: Object.freeze([]),
  anonymous: true,
  hideForbidden: false,
  identitiesConfigured: false,
});

/** A policy whose patterns are compiled. */
export interface CompiledPolicy extends AccessPolicy {
  readonly denies: Matches;
}

/** A caller as access decisions see it: its identity, where it comes in, and whether it composes from inside. */
export interface Caller {
  readonly identity: Identity;
  readonly internal: boolean;
  readonly connection?: string | undefined;
  /** The key of operations that only this caller has. */
  readonly overlay?: string | undefined;
  /** Limits the operations of calls from outside; composed calls are not limited. */
  readonly reach?: Reach | undefined;
}

/** `open`: may see and call; `forbidden`: may learn at a call that it exists; `absent`: does not exist. */
export type Sight = "open" | "forbidden" | "absent";

/** Decides what a caller sees: the one decision behind search, lists, schemas, suggestions and calls. */
export function decideSight(registration: Registration, caller: Caller, policy: CompiledPolicy): Sight {
  const { spec } = registration;
  if (isDenied(registration, policy)) return "absent";
  if (!caller.internal && (spec.visibility === "internal" || caller.reach?.includes(spec) === false))
    return "absent";
  if (permits(registration, caller, policy)) return "open";
  return policy.hideForbidden && !caller.internal ? "absent" : "forbidden";
}

/** True if an operation is switched off by one of its names, or by that of an operation that its calls run as. */
export function isDenied({ spec, runsAs }: Registration, { denies }: CompiledPolicy): boolean {
  return denies(spec.name) || (spec.aliases?.some(denies) ?? false) || (runsAs?.some(denies) ?? false);
}

/** Callers with equal keys see the same. The key has everything that `decideSight` uses, so neither id nor limits. */
export function sightKey({ identity, internal, connection, overlay, reach }: Caller): string {
  const { id: _, limits: __, ...seen } = identity;
  return JSON.stringify([seen, internal, connection, overlay, reach?.key]);
}

/** True if a caller may see a registration, its name aside: the same for all registrations with equal access rules. */
export function permitsClass(registration: Registration, caller: Caller, policy: CompiledPolicy): boolean {
  const isHidden = registration.spec.visibility === "internal" && !caller.internal;
  return !isHidden && permits(registration, caller, policy);
}

function permits(registration: Registration, caller: Caller, policy: CompiledPolicy): boolean {
  const { identity, internal } = caller;
  const { authenticated, scopes, anyScope, resource } = registration.spec.access;
  if (registration.spec.mutates && identity.mutations === "deny") return false;
  if (registration.owner !== undefined && registration.owner === caller.connection) return true;
  const isClosedToAnonymous =
    authenticated ||
    (!internal && (!policy.anonymous || (policy.identitiesConfigured && !isPublic(registration))));
  if (isClosedToAnonymous && !identity.authenticated) return false;
  if (resource && !hasAny(resource.type, identity)) return false;
  if (scopes && !scopes.every((scope) => identity.scopes.includes(scope))) return false;
  return !anyScope || anyScope.some((scope) => identity.scopes.includes(scope));
}

/** The rights that a caller lacks for an operation, as far as it may be told of them. */
export interface Missing {
  readonly scopes?: readonly string[];
  /** The caller needs one of these. */
  readonly anyScope?: readonly string[];
  /** A type, or one resource as type:id. */
  readonly resource?: string;
  readonly action?: string;
}

/** True if callers are told what they lack. */
export function tellsMissing(
  { tellMissingScopes, hideForbidden }: AccessPolicy,
  { authenticated }: Identity,
): boolean {
  return tellMissingScopes === true && !hideForbidden && authenticated;
}

/** The right that a caller lacks to see an operation; undefined if no right would help. */
export function missingFor({ spec }: Registration, identity: Identity): Missing | undefined {
  const { scopes = [], anyScope, resource } = spec.access;
  if (spec.mutates && identity.mutations === "deny") return undefined;
  const lacks = (scope: string) => !identity.scopes.includes(scope);
  const missing = scopes.filter(lacks);
  const found: Missing = {
    ...(missing.length > 0 && { scopes: missing }),
    ...(anyScope?.every(lacks) && { anyScope }),
    ...(resource && !hasAny(resource.type, identity) && { resource: resource.type, action: resource.action }),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}

/** True if callers without an identity may reach it even when identities are configured. */
export function isPublic({ public: isPublic, provenance }: Registration): boolean {
  return isPublic ?? provenance === "local";
}

/** The input names the resource; an identity without any of the type cannot be allowed, whatever it names. */
function hasAny(type: string, { resources = {}, owned }: Identity): boolean {
  if (owned?.includes(type)) return true;
  return Object.entries(resources).some(([key, actions]) => key.startsWith(`${type}:`) && actions.length > 0);
}

/** True if a static grant of an identity covers one resource. */
export function isGranted({ type, id, action }: Resource, { resources = {} }: Identity): boolean {
  return [`${type}:${id}`, `${type}:*`].some(
    (key) => Object.hasOwn(resources, key) && allows(resources[key] ?? [], action),
  );
}

/** The ids of a type that static grants of an identity name for an action; `*` where they cover all. */
export function grantedIds({ type, action }: ResourceClass, { resources = {} }: Identity): readonly string[] {
  return Object.entries(resources)
    .filter(([key, actions]) => key.startsWith(`${type}:`) && allows(actions, action))
    .map(([key]) => key.slice(type.length + 1));
}

function allows(actions: readonly string[], action: string): boolean {
  return actions.some((each) => each === action || each === "*");
}

/** The resource that an input names; undefined where it names none. */
export function resourceIn(input: unknown, { type, action, idPath }: ResourceAccess): Resource | undefined {
  const id = idPath === undefined ? undefined : atPointer(input, idPath);
  return typeof id === "string" || typeof id === "number" ? { type, action, id: String(id) } : undefined;
}

/** Tells whether a name fits one of a set of patterns. */
export type Matches = (name: string) => boolean;

/**
 * Compiles patterns in which `*` matches any run of characters, slashes included:
 * `github/*review*`, `west/*`, `*`.
 */
export function compilePatterns(patterns: readonly string[]): Matches {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  const globs = patterns.filter((pattern) => pattern.includes("*"));
  return (name) => exact.has(name) || globs.some((glob) => matchesGlob(glob, name));
}

/** Two pointers and one point to come back to, so no pattern can make it slow. */
function matchesGlob(glob: string, name: string): boolean {
  let at = 0;
  let position = 0;
  let starAt = -1;
  let resumeFrom = 0;
  while (position < name.length) {
    if (glob[at] === "*") {
      starAt = at++;
      resumeFrom = position;
    } else if (glob[at] === name[position]) {
      at++;
      position++;
    } else if (starAt >= 0) {
      at = starAt + 1;
      position = ++resumeFrom;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
