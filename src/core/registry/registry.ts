import { type AccessPolicy, compilePatterns, DEFAULT_POLICY } from "../access/index.ts";
import type { OperationSpec } from "../model/index.ts";
import {
  checkRegistration,
  type Entry,
  isOwnSet,
  namespaceOf,
  type Preset,
  problemOfOwnership,
  RESERVED_NAMESPACES,
  type Registration,
  RegistrationError,
  type SchemaCheck,
  type SchemaValidator,
  type Source,
  type SourceSet,
  sameJson,
} from "../model/index.ts";
import { KnownPreset } from "./known-preset.ts";
import { Namespace } from "./namespace.ts";
import { refuseBadRoutes, refuseSharedRoutes } from "./routes.ts";
import { type NamespaceIndex, SHARED, Snapshot } from "./snapshot.ts";
import { ToolsOfOperations } from "./tools-of-operations.ts";

/** Deeper schemas are attacks on the code that walks them. */
const MAX_SPEC_DEPTH = 500;

type Schemas = SchemaCheck & Partial<Pick<SchemaValidator, "check">>;

/** One step from a snapshot to the next: all of it happens, or nothing. */
export interface Change {
  /** Each replaces the whole set of the source of that name. */
  readonly replace?: readonly SourceSet[];
  /** Names of sources to remove. */
  readonly remove?: readonly string[];
  readonly policy?: AccessPolicy;
  /** Replace all presets. */
  readonly presets?: readonly Preset[];
}

/** Exactly what a change did to the operations of one source, by name. */
export interface SourceDelta {
  readonly source: Source;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Operations with another spec or another path through nodes; a new handler alone is not a visible change. */
  readonly changed: readonly string[];
}

/** The effect of a change. */
export interface Delta {
  readonly revision: number;
  readonly policyChanged: boolean;
  readonly sources: readonly SourceDelta[];
}

/** Receives each change. */
export type ChangeListener = (delta: Delta, snapshot: Snapshot) => void;

/** The one store of operations. */
export class Registry {
  #snapshot = new Snapshot({
    revision: 0,
    policy: { ...DEFAULT_POLICY, denies: compilePatterns(DEFAULT_POLICY.deny) },
    sources: new Map(),
    presets: new Map(),
    indexes: new Map([[SHARED, new Map()]]),
  });
  readonly #listeners = new Set<ChangeListener>();
  readonly #frozen = new WeakSet<Registration>();
  readonly #schemas: Schemas | undefined;
  readonly #validator: Pick<SchemaValidator, "check"> | undefined;
  readonly #tools: ToolsOfOperations;
  #configured: ReadonlyMap<string, KnownPreset> = new Map();

  /** Checks the schemas of local operations, and fixed arguments of presets, if it is given a validator. */
  constructor(schemas?: Schemas) {
    this.#schemas = schemas;
    this.#validator = schemas?.check && { check: schemas.check.bind(schemas) };
    this.#tools = new ToolsOfOperations(this.#validator);
  }

  /** The registry as it is now. */
  snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Moves to the next snapshot. Throws a RegistrationError and changes nothing if a set cannot enter. */
  apply(change: Change): Delta {
    const before = this.#snapshot;
    const sources = new Map(before.sources);
    const indexes = new Map(before.indexes);
    const deltas: SourceDelta[] = [];

    for (const name of change.remove ?? []) {
      const old = sources.get(name);
      if (!old) continue;
      sources.delete(name);
      takeOut(indexes, old);
      deltas.push(deltaOf(old, { source: old.source, registrations: [] }));
    }
    for (const offered of change.replace ?? []) {
      const next = this.#freeze(offered);
      const old = sources.get(next.source.name);
      if (old) takeOut(indexes, old);
      sources.set(next.source.name, next);
      deltas.push(deltaOf(old, next));
    }
    // Only now, so that a name may move from one source to another within one change.
    for (const { source } of change.replace ?? []) putIn(indexes, sources.get(source.name));

    refuseSharedOwnership(sources);
    refuseSharedRoutes(sources);

    const revision = before.revision + 1;
    const policy = change.policy
      ? { ...change.policy, denies: compilePatterns(change.policy.deny) }
      : before.policy;
    const configured = change.presets ? this.#known(change.presets) : this.#configured;
    const presets = this.#tools.join(configured, sources.values());
    this.#configured = configured;
    this.#snapshot = new Snapshot({ revision, policy, sources, presets, indexes });
    const delta = { revision, policyChanged: policy !== before.policy, sources: deltas };
    for (const listener of this.#listeners) listener(delta, this.#snapshot);
    return delta;
  }

  /** Calls the listener after each change until the returned function is called. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #known(presets: readonly Preset[]): ReadonlyMap<string, KnownPreset> {
    return new Map(
      presets.map((preset) => [preset.name, new KnownPreset(Object.freeze(preset), this.#validator)]),
    );
  }

  #freeze(offered: SourceSet): SourceSet {
    const parts = new Set<object>();
    const isOwn = isOwnSet(offered);
    refuseBadOwnership(offered);
    refuseBadRoutes(offered);
    for (const registration of offered.registrations) {
      if (!isOwn) refuseReserved(registration, offered.source);
      if (this.#frozen.has(registration)) continue;
      checkRegistration(registration, this.#schemas);
      freezeSpec(registration.spec, parts);
      this.#frozen.add(Object.freeze(registration));
    }
    return Object.freeze({
      source: Object.freeze({ ...offered.source }),
      registrations: Object.freeze([...offered.registrations]),
      ...(offered.ownership && { ownership: offered.ownership }),
      ...(offered.routes && { routes: Object.freeze([...offered.routes]) }),
    });
  }
}

/** Schemas share parts across operations: what was frozen before is not walked again. */
function freezeSpec(spec: OperationSpec, frozen: Set<object>): void {
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || frozen.has(value)) return;
    if (depth > MAX_SPEC_DEPTH) {
      throw new RegistrationError(`Operation "${spec.name}" is nested deeper than ${MAX_SPEC_DEPTH} levels.`);
    }
    frozen.add(Object.freeze(value));
    for (const part of Object.values(value)) visit(part, depth + 1);
  };
  visit(spec, 0);
}

type Indexes = Map<string | typeof SHARED, NamespaceIndex>;

function namesOf({ spec }: Registration): readonly string[] {
  return spec.aliases ? [spec.name, ...spec.aliases] : [spec.name];
}

function takeOut(indexes: Indexes, { source, registrations }: SourceSet): void {
  const namespaces = new Map(indexes.get(source.connection));
  const copies = new Map<string, Map<string, Entry>>();
  for (const name of registrations.flatMap(namesOf)) copyFor(name, namespaces, copies).delete(name);
  for (const [namespace, names] of copies) {
    if (names.size > 0) namespaces.set(namespace, new Namespace(names));
    else namespaces.delete(namespace);
  }
  if (namespaces.size > 0 || source.connection === SHARED) indexes.set(source.connection, namespaces);
  else indexes.delete(source.connection);
}

function putIn(indexes: Indexes, set: SourceSet | undefined): void {
  if (!set || set.registrations.length === 0) return;
  const { source, registrations } = set;
  const shared = indexes.get(SHARED);
  const namespaces = new Map(indexes.get(source.connection));
  const copies = new Map<string, Map<string, Entry>>();
  for (const registration of registrations) {
    const entry = Object.freeze({ registration, source });
    for (const name of namesOf(registration)) {
      const names = copyFor(name, namespaces, copies);
      const taken = names.get(name) ?? shared?.get(namespaceOf(name))?.names.get(name);
      if (taken) refuseDuplicate(name, taken.source, source);
      names.set(name, entry);
    }
  }
  for (const [namespace, names] of copies) namespaces.set(namespace, new Namespace(names));
  indexes.set(source.connection, namespaces);
}

function copyFor(
  name: string,
  namespaces: NamespaceIndex,
  copies: Map<string, Map<string, Entry>>,
): Map<string, Entry> {
  const namespace = namespaceOf(name);
  let copy = copies.get(namespace);
  if (!copy) {
    copy = new Map(namespaces.get(namespace)?.names);
    copies.set(namespace, copy);
  }
  return copy;
}

function refuseReserved(registration: Registration, source: Source): void {
  const taken = namesOf(registration).find((name) => RESERVED_NAMESPACES.has(namespaceOf(name)));
  if (taken === undefined) return;
  const namespace = namespaceOf(taken);
  throw new RegistrationError(
    `"${taken}" of the source "${source.name}" lies in "${namespace}", which belongs to the gateway itself. Choose another name before the slash.`,
    "NAME_COLLISION",
  );
}

function refuseDuplicate(name: string, first: Source, second: Source): never {
  const who =
    first === second ? `source "${first.name}" twice` : `the sources "${first.name}" and "${second.name}"`;
  throw new RegistrationError(
    `"${name}" is offered by ${who}. Rename one of them, or leave one out.`,
    "NAME_COLLISION",
  );
}

function refuseBadOwnership({ source, ownership }: SourceSet): void {
  if (ownership === undefined) return;
  const problem = problemOfOwnership(ownership);
  if (problem) throw new RegistrationError(`The source "${source.name}" cannot be used: its ${problem}.`);
  if (source.connection !== undefined)
    throw new RegistrationError(
      `The source "${source.name}" belongs to one connection, and a connection cannot decide over resources.`,
    );
}

function refuseSharedOwnership(sources: ReadonlyMap<string, SourceSet>): void {
  const decider = new Map<string, string>();
  for (const [name, { ownership }] of sources) {
    for (const type of ownership?.decides ?? []) {
      const first = decider.get(type);
      if (first !== undefined)
        throw new RegistrationError(
          `The sources "${first}" and "${name}" both decide who has which ${type}. Take "${type}" out of ownership.decides of one of them.`,
          "NAME_COLLISION",
        );
      decider.set(type, name);
    }
  }
}

function deltaOf(old: SourceSet | undefined, next: SourceSet): SourceDelta {
  const before = new Map(old?.registrations.map((registration) => [registration.spec.name, registration]));
  const after = new Set(next.registrations.map(({ spec }) => spec.name));
  const added: string[] = [];
  const changed: string[] = [];
  // Operations of one document share most of their schemas.
  const known = new Map<object, object>();
  for (const registration of next.registrations) {
    const earlier = before.get(registration.spec.name);
    if (!earlier) added.push(registration.spec.name);
    else if (earlier !== registration && !isSame(earlier, registration, known))
      changed.push(registration.spec.name);
  }
  const removed = [...before.keys()].filter((name) => !after.has(name));
  return { source: next.source, added, removed, changed };
}

function isSame(one: Registration, other: Registration, known: Map<object, object>): boolean {
  return sameJson(one.spec, other.spec, known) && sameJson(one.via, other.via);
}
