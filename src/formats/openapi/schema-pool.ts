import { isRecord, type JsonSchema, messageOf, type Steps, type UnknownRecord } from "../../core/index.ts";
import { type Dialect, DocumentRefused } from "./check-document.ts";
import { type Direction, normaliseSchema } from "./normalise-schema.ts";
import { type Located, placeOf, type References } from "./references.ts";

/** A schema that others refer to. There is one of it, however many operations use it. */
interface Definition {
  readonly index: number;
  readonly name: string;
  schema: JsonSchema;
  refs: readonly Definition[];
  /** Reason why it could not be imported. */
  problem?: string;
}

/** An imported schema and its references. */
export interface Taken {
  readonly schema: JsonSchema;
  readonly refs: readonly Definition[];
}

/** Context of all schemas of a pool. */
interface PoolKind {
  readonly dialect: Dialect;
  readonly direction: Direction;
}

/**
 * Maximum sum of definitions over all distinct sets of them. The largest public documents
 * reach 200,000; one whose schemas all refer to each other would fill the memory with ever new sets.
 */
const MAX_NEEDED = 800_000;

/** Maximum parts of a schema in which to look for properties: they may refer to each other without end. */
const MAX_LOOKS = 30;

/** Maximum names of one-direction properties per schema: nested parts repeat them. */
const MAX_ONE_SIDED = 100_000;

const NO_NAMES: ReadonlySet<string> = new Set();

type Definitions = Readonly<Record<string, JsonSchema>>;

/** A schema that says nothing. */
export const ANYTHING: Taken = { schema: true, refs: [] };

/**
 * The schemas of one document. The target of a reference is imported once and shared: operations differ
 * in the small record of the definitions that they need, and those with the same needs share that, too.
 */
export class SchemaPool {
  readonly #references: References;
  readonly #kind: PoolKind;
  readonly #byPlace = new Map<string, Definition>();
  readonly #names = new Set<string>();
  /** The number last given to a name, so that ten thousand of one name are not counted from the start each time. */
  readonly #numbers = new Map<string, number>();
  readonly #taken = new Map<object, Taken>();
  readonly #byRoots = new Map<string, Definitions>();
  readonly #byMembers = new Map<string, Definitions>();
  readonly #wholes = new Map<string, JsonSchema>();
  readonly #open: (() => Steps)[] = [];
  readonly #marked = new Map<object, readonly string[]>();
  readonly #unresolved = new Set<string>();
  #needed = 0;

  constructor(references: References, kind: PoolKind) {
    this.#references = references;
    this.#kind = kind;
  }

  /** References that lead nowhere, each once. */
  get unresolved(): ReadonlySet<string> {
    return this.#unresolved;
  }

  /** Imports a schema of a file of the document; its references follow with `settle`. */
  *take(schema: unknown, file: string): Steps<Taken> {
    if (!isRecord(schema)) return typeof schema === "boolean" ? { schema, refs: [] } : ANYTHING;
    const known = this.#taken.get(schema);
    if (known) return known;
    const taken = yield* this.#normalise(schema, file);
    this.#taken.set(schema, taken);
    return taken;
  }

  /** Imports all references so far, and theirs: a small part may lead to thousands. */
  *settle(): Steps<void> {
    for (let next = this.#open.pop(); next; next = this.#open.pop()) {
      yield* next();
      yield;
    }
  }

  /** A self-contained schema with exactly the definitions that it needs, once all is settled. */
  *whole({ schema, refs }: Taken): Steps<JsonSchema> {
    if (typeof schema === "boolean" || refs.length === 0) return schema;
    const isPlain = Object.keys(schema).length === 1 && typeof schema.$ref === "string";
    const known = isPlain ? this.#wholes.get(String(schema.$ref)) : undefined;
    if (known !== undefined) return known;
    const whole = Object.freeze({ ...schema, $defs: yield* this.#definitionsFor(refs) });
    if (isPlain) this.#wholes.set(String(schema.$ref), whole);
    return whole;
  }

  *#normalise(schema: unknown, file: string): Steps<Taken> {
    const refs = new Set<Definition>();
    const refer = (reference: string) => {
      const definition = this.#definitionAt(reference, file);
      if (!definition) return undefined;
      refs.add(definition);
      return `#/$defs/${definition.name}`;
    };
    let gathered = 0;
    const oneSidedIn = (part: UnknownRecord, around: ReadonlySet<string> = NO_NAMES) => {
      const found = this.#oneSidedIn(part, file);
      if (found.length === 0) return around;
      gathered += found.length + around.size;
      if (gathered > MAX_ONE_SIDED) throw new Error("its parts repeat too many properties of one direction");
      return new Set([...around, ...found]);
    };
    const normal = yield* normaliseSchema(schema, { ...this.#kind, refer, oneSidedIn });
    return { schema: normal, refs: [...refs] };
  }

  #oneSidedIn(schema: UnknownRecord, file: string): readonly string[] {
    const parts = new Map<object, readonly string[]>();
    const open = [{ part: schema as unknown, from: file }];
    for (let at = 0; at < Math.min(open.length, MAX_LOOKS); at++) {
      const { part, from } = open[at] ?? {};
      const located = this.#references.follow(part, from ?? "");
      if (!located || parts.has(located.value)) continue;
      parts.set(located.value, this.#markedIn(located));
      const { allOf } = located.value;
      for (const each of Array.isArray(allOf) ? allOf.slice(0, MAX_LOOKS) : [])
        open.push({ part: each, from: located.file });
    }
    return [...parts.values()].flat();
  }

  /** The properties of one part that are for the other direction, by themselves or by reference. */
  #markedIn({ value, file }: Located): readonly string[] {
    const known = this.#marked.get(value);
    if (known) return known;
    const mark = this.#kind.direction === "request" ? "readOnly" : "writeOnly";
    const properties = isRecord(value.properties) ? Object.entries(value.properties) : [];
    const isMarked = (property: unknown) =>
      isRecord(property) &&
      (property[mark] === true || this.#references.follow(property, file)?.value[mark] === true);
    const marked = properties.filter(([, property]) => isMarked(property)).map(([name]) => name);
    this.#marked.set(value, marked);
    return marked;
  }

  #definitionAt(reference: string, file: string): Definition | undefined {
    const place = placeOf(reference, file);
    const key = place ? `${place.file}#${place.fragment}` : "";
    const known = this.#byPlace.get(key);
    if (known) return known;
    const target = place && this.#references.at(place);
    if (!place || !(isRecord(target) || typeof target === "boolean")) {
      this.#unresolved.add(reference.slice(0, 200));
      return undefined;
    }
    const definition: Definition = {
      index: this.#byPlace.size,
      name: this.#nameFor(place.fragment === "" ? place.file : place.fragment),
      schema: true,
      refs: [],
    };
    this.#byPlace.set(key, definition);
    // Later, not now: a chain of references must not become a chain of calls.
    this.#open.push(() => this.#define(definition, target, place.file));
    return definition;
  }

  *#define(definition: Definition, schema: unknown, file: string): Steps {
    try {
      Object.assign(definition, yield* this.#normalise(schema, file));
    } catch (error) {
      definition.problem = `the schema ${definition.name} cannot be read: ${messageOf(error)}`;
    }
  }

  #nameFor(path: string): string {
    const last = path.split("/").at(-1) ?? "";
    const base = decoded(last)
      .replace(/\.(?:json|ya?ml)$/i, "")
      .replaceAll(/[^A-Za-z0-9_.-]+/g, "_");
    let name = base === "" ? "schema" : base;
    let count = this.#numbers.get(base) ?? 2;
    for (; this.#names.has(name); count++) name = `${base}_${count}`;
    this.#numbers.set(base, count);
    this.#names.add(name);
    return name;
  }

  *#definitionsFor(roots: readonly Definition[]): Steps<Definitions> {
    const rootKey = keyOf(roots);
    const known = this.#byRoots.get(rootKey);
    if (known) return known;
    yield;
    const members = closureOf(roots).sort((a, b) => a.index - b.index);
    yield;
    const problem = members.find((each) => each.problem !== undefined)?.problem;
    if (problem !== undefined) throw new Error(problem);
    this.#needed += members.length;
    if (this.#needed > MAX_NEEDED) {
      throw new DocumentRefused(
        "The schemas of the document refer to each other so widely that its operations would need too many of them.",
      );
    }
    const key = keyOf(members);
    yield;
    const definitions =
      this.#byMembers.get(key) ??
      Object.freeze(Object.fromEntries(members.map(({ name, schema }) => [name, schema])));
    this.#byMembers.set(key, definitions);
    this.#byRoots.set(rootKey, definitions);
    return definitions;
  }
}

function closureOf(roots: readonly Definition[]): Definition[] {
  const members = new Set(roots);
  for (const { refs } of members) for (const each of refs) members.add(each);
  return [...members];
}

function keyOf(definitions: readonly Definition[]): string {
  return definitions
    .map(({ index }) => index)
    .sort((a, b) => a - b)
    .join();
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return token;
  }
}
