/**
 * Whose authority a call runs under. `resources` maps `type:id` (or `type:*`) to the actions that are
 * allowed on it, `*` for all of them.
 */
export interface Identity {
  readonly id: string;
  readonly authenticated: boolean;
  readonly scopes: readonly string[];
  readonly resources?: Readonly<Record<string, readonly string[]>>;
}

/** What a composing operation may do to others, whoever started the call. */
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
