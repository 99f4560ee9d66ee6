import type { AccessControl, AccessPolicy, Identity, Ownership, Provenance, Visibility } from "pinhole/core";

/** The callers of the table. `scoped` holds the scope that guarded operations ask for, `owner` what a port gives it. */
export const CALLERS = {
  anonymous: { id: "anonymous", authenticated: false, scopes: [] },
  plain: { id: "plain", authenticated: true, scopes: [] },
  scoped: { id: "scoped", authenticated: true, scopes: ["guarded"] },
  other: { id: "other", authenticated: true, scopes: ["something-else"] },
  granted: { id: "granted", authenticated: true, scopes: [], resources: { "thing:*": ["read"] } },
  owner: { id: "owner", authenticated: true, scopes: [] },
} as const satisfies Record<string, Identity>;

/** Who calls. */
export type CallerName = keyof typeof CALLERS;

/** How a call ends: `ok` or the code of its error. */
export type Outcome = "ok" | "NOT_FOUND" | "FORBIDDEN";

/** An operation and a policy, and for each caller whether it sees the operation and how its call ends. */
export interface PrivilegeCase {
  readonly title: string;
  readonly visibility?: Visibility;
  readonly access?: AccessControl;
  readonly provenance?: Provenance;
  readonly public?: boolean;
  readonly policy?: Partial<AccessPolicy>;
  readonly ownership?: Ownership;
  /** What is listed, searched and described is exactly what can be called: `ok`. */
  readonly direct: Readonly<Record<CallerName, Outcome>>;
  /** How an operation fares that composes it, with the authority `guarded`, and with none. */
  readonly composed: { readonly withAuthority: Outcome; readonly withoutAuthority: Outcome };
}

const all = (outcome: Outcome): PrivilegeCase["direct"] => ({
  anonymous: outcome,
  plain: outcome,
  scoped: outcome,
  other: outcome,
  granted: outcome,
  owner: outcome,
});

const ONLY_GRANTED = (otherwise: Outcome): PrivilegeCase["direct"] => ({
  ...all(otherwise),
  granted: "ok",
});

const OWNERS = (otherwise: Outcome): PrivilegeCase["direct"] => ({
  ...ONLY_GRANTED(otherwise),
  owner: "ok",
});

/** Gives `owner` the thing that all calls name. */
const PORT: Ownership = {
  decides: ["thing"],
  types: async ({ id }) => (id === "owner" ? ["thing"] : []),
  owns: async (identity, { id }) => identity.id === "owner" && id === "1",
  list: async () => [],
};
const BROKEN: Ownership = { ...PORT, types: () => Promise.reject(new Error("out of order")) };
const THING: AccessControl = { resource: { type: "thing", action: "read", idPath: "/id" } };

const GUARDED: AccessControl = { scopes: ["guarded"] };
const EITHER: AccessControl = { anyScope: ["guarded", "admin"] };
const HIDE = { hideForbidden: true };
const CLOSED = { anonymous: false };

/** Caller × visibility × scopes × composed or direct × deny, with what must happen. */
export const PRIVILEGE_CASES: readonly PrivilegeCase[] = [
  {
    title: "an open operation",
    direct: all("ok"),
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
  {
    title: "an operation for anyone with an identity",
    access: { authenticated: true },
    direct: { anonymous: "FORBIDDEN", plain: "ok", scoped: "ok", other: "ok", granted: "ok", owner: "ok" },
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation behind a scope",
    access: GUARDED,
    direct: {
      anonymous: "FORBIDDEN",
      plain: "FORBIDDEN",
      scoped: "ok",
      other: "FORBIDDEN",
      granted: "FORBIDDEN",
      owner: "FORBIDDEN",
    },
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation behind two scopes",
    access: { scopes: ["guarded", "something-else"] },
    direct: all("FORBIDDEN"),
    composed: { withAuthority: "FORBIDDEN", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation behind one of two scopes",
    access: EITHER,
    direct: {
      anonymous: "FORBIDDEN",
      plain: "FORBIDDEN",
      scoped: "ok",
      other: "FORBIDDEN",
      granted: "FORBIDDEN",
      owner: "FORBIDDEN",
    },
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "a guarded operation where what is forbidden is hidden",
    access: GUARDED,
    policy: HIDE,
    direct: {
      anonymous: "NOT_FOUND",
      plain: "NOT_FOUND",
      scoped: "ok",
      other: "NOT_FOUND",
      granted: "NOT_FOUND",
      owner: "NOT_FOUND",
    },
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an internal operation",
    visibility: "internal",
    direct: all("NOT_FOUND"),
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
  {
    title: "an internal operation behind a scope",
    visibility: "internal",
    access: GUARDED,
    direct: all("NOT_FOUND"),
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "a denied operation",
    policy: { deny: ["target/*"] },
    direct: all("NOT_FOUND"),
    composed: { withAuthority: "NOT_FOUND", withoutAuthority: "NOT_FOUND" },
  },
  {
    title: "an operation denied by its alias",
    policy: { deny: ["other-name/*"] },
    direct: all("NOT_FOUND"),
    composed: { withAuthority: "NOT_FOUND", withoutAuthority: "NOT_FOUND" },
  },
  {
    title: "a denied operation behind a scope",
    access: GUARDED,
    policy: { deny: ["*/one", "*/many"] },
    direct: all("NOT_FOUND"),
    composed: { withAuthority: "NOT_FOUND", withoutAuthority: "NOT_FOUND" },
  },
  {
    title: "a denied internal operation",
    visibility: "internal",
    policy: { deny: ["target/*"] },
    direct: all("NOT_FOUND"),
    composed: { withAuthority: "NOT_FOUND", withoutAuthority: "NOT_FOUND" },
  },
  {
    title: "an open operation where nobody is anonymous",
    policy: CLOSED,
    direct: { anonymous: "FORBIDDEN", plain: "ok", scoped: "ok", other: "ok", granted: "ok", owner: "ok" },
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
  {
    title: "an open operation where nobody is anonymous and what is forbidden is hidden",
    policy: { ...CLOSED, ...HIDE },
    direct: { anonymous: "NOT_FOUND", plain: "ok", scoped: "ok", other: "ok", granted: "ok", owner: "ok" },
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
  {
    title: "an imported operation while there are no identities",
    provenance: "from-mcp",
    direct: all("ok"),
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
  {
    title: "an imported operation once there are identities",
    provenance: "from-openapi",
    policy: { identitiesConfigured: true },
    direct: { anonymous: "FORBIDDEN", plain: "ok", scoped: "ok", other: "ok", granted: "ok", owner: "ok" },
    // That callers need an identity is about callers: the first identity breaks no composition.
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
  {
    title: "an imported operation of a public source once there are identities",
    provenance: "from-openapi",
    public: true,
    policy: { identitiesConfigured: true },
    direct: all("ok"),
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
  {
    title: "an operation of a plugin that is not public, once there are identities",
    public: false,
    policy: { identitiesConfigured: true },
    direct: { anonymous: "FORBIDDEN", plain: "ok", scoped: "ok", other: "ok", granted: "ok", owner: "ok" },
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
  {
    title: "an operation restricted by resource",
    access: THING,
    direct: ONLY_GRANTED("FORBIDDEN"),
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation restricted by resource where what is forbidden is hidden",
    access: THING,
    policy: HIDE,
    direct: ONLY_GRANTED("NOT_FOUND"),
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation restricted by a resource of another type",
    access: { resource: { type: "th", action: "read", idPath: "/id" } },
    direct: all("FORBIDDEN"),
    composed: { withAuthority: "FORBIDDEN", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation whose resource a port gives out",
    access: THING,
    ownership: PORT,
    direct: OWNERS("FORBIDDEN"),
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation whose resource a port gives out, where what is forbidden is hidden",
    access: THING,
    ownership: PORT,
    policy: HIDE,
    direct: OWNERS("NOT_FOUND"),
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation behind a scope whose resource a port gives out",
    access: { ...GUARDED, ...THING },
    ownership: PORT,
    direct: all("FORBIDDEN"),
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "an operation whose resource a broken port gives out",
    access: THING,
    ownership: BROKEN,
    direct: ONLY_GRANTED("FORBIDDEN"),
    composed: { withAuthority: "ok", withoutAuthority: "FORBIDDEN" },
  },
  {
    title: "a local operation once there are identities",
    policy: { identitiesConfigured: true },
    direct: all("ok"),
    composed: { withAuthority: "ok", withoutAuthority: "ok" },
  },
];
