import type { MutationPolicy } from "./reach.ts";

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
