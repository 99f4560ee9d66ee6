import { atPointer, isRecord, SchemaUnusable, type UnknownRecord } from "../../core/index.ts";

/** The keywords that hold one schema each. */
export const HOLDS_ONE: readonly string[] = [
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** The keywords that hold a list of schemas. */
export const HOLDS_LIST: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/** The keywords that hold schemas by name, definitions aside. */
export const HOLDS_NAMED: readonly string[] = ["dependentSchemas", "patternProperties", "properties"];

/** Keywords of definitions; up to draft-07 the longer name. */
export const HOLDS_DEFINITIONS: readonly string[] = ["$defs", "definitions"];

const MAX_PARTS = 200_000;
const NO_BASE = "https://schema.invalid/";

const HOLDS_PARTS = new Set([...HOLDS_ONE, ...HOLDS_LIST, "additionalItems"]);
const HOLDS_NAMED_PARTS = new Set([...HOLDS_NAMED, ...HOLDS_DEFINITIONS, "dependencies"]);

/** A schema with an identity of its own: the root, or a part with `$id`. References start from it. */
export interface SchemaResource {
  readonly root: unknown;
  readonly uri: string;
  /** Up to draft-07 a `$ref` disables its sibling keywords. */
  readonly refStandsAlone: boolean;
  readonly anchors: Map<string, UnknownRecord>;
  readonly dynamicAnchors: Map<string, UnknownRecord>;
}

/** The target of a reference. */
interface Target {
  readonly schema: unknown;
  readonly resource: SchemaResource;
}

/** One schema as it was handed in, with all the places in it that something can refer to. */
export class SchemaDocument {
  readonly root: SchemaResource;
  /** The resource that a part starts. */
  readonly #starts = new Map<UnknownRecord, SchemaResource>();
  readonly #byUri = new Map<string, SchemaResource>();
  #scanned = false;

  constructor(schema: UnknownRecord) {
    this.root = newResource(schema, undefined);
    this.#starts.set(schema, this.root);
  }

  /** The resource that a part belongs to: the one around it, or one that it starts itself. */
  resourceOf(schema: UnknownRecord, around: SchemaResource): SchemaResource {
    const { $id } = schema;
    const known = this.#starts.get(schema);
    if (known || typeof $id !== "string" || $id.startsWith("#") || isOverridden(schema, around))
      return known ?? around;
    const resource = newResource(schema, around);
    this.#starts.set(schema, resource);
    return resource;
  }

  /** Resolves a reference; undefined if it leaves the document or is broken. Never uses the network. */
  resolve(reference: string, from: SchemaResource): Target | undefined {
    const hash = reference.indexOf("#");
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = decode(hash === -1 ? "" : reference.slice(hash + 1));
    const isPointer = fragment === "" || fragment?.startsWith("/");
    // Most schemas refer by pointers alone, and need no look at all of their parts.
    if (address !== "" || !isPointer) this.#scan();
    const resource = address === "" ? from : this.#byUri.get(join(address, from.uri));
    if (!resource || fragment === undefined) return undefined;
    if (isPointer) return this.#walk(fragment, resource);
    const schema = resource.anchors.get(fragment);
    return schema && { schema, resource };
  }

  /** A pointer may lead through a part with `$id`, and is in that resource from there on. */
  #walk(pointer: string, from: SchemaResource): Target | undefined {
    let schema: unknown = from.root;
    let resource = from;
    for (const token of pointer.split("/").slice(1)) {
      schema = atPointer(schema, `/${token}`);
      if (schema === undefined) return undefined;
      if (isRecord(schema)) resource = this.resourceOf(schema, resource);
    }
    return { schema, resource };
  }

  #scan(): void {
    if (this.#scanned) return;
    const visited = new Set<UnknownRecord>();
    const open: [part: unknown, around: SchemaResource][] = [[this.root.root, this.root]];
    for (let next = open.pop(); next; next = open.pop()) {
      const [schema, around] = next;
      if (!isRecord(schema) || visited.has(schema)) continue;
      visited.add(schema);
      if (visited.size > MAX_PARTS) throw new SchemaUnusable(`the schema has more than ${MAX_PARTS} parts`);
      const resource = this.resourceOf(schema, around);
      if (!this.#byUri.has(resource.uri)) this.#byUri.set(resource.uri, resource);
      noteAnchors(schema, resource);
      for (const part of partsOf(schema)) open.push([part, resource]);
    }
    this.#scanned = true;
  }
}

function noteAnchors(schema: UnknownRecord, resource: SchemaResource): void {
  const { anchors, dynamicAnchors } = resource;
  const { $id, $anchor, $dynamicAnchor } = schema;
  if (typeof $id === "string" && $id.startsWith("#") && !isOverridden(schema, resource))
    anchors.set($id.slice(1), schema);
  if (typeof $anchor === "string") anchors.set($anchor, schema);
  if (typeof $dynamicAnchor === "string") {
    anchors.set($dynamicAnchor, schema);
    dynamicAnchors.set($dynamicAnchor, schema);
  }
}

/** True if the `$id` of a part is ignored because of a sibling `$ref`. */
function isOverridden(schema: UnknownRecord, { refStandsAlone }: SchemaResource): boolean {
  return refStandsAlone && Object.hasOwn(schema, "$ref");
}

function newResource(schema: UnknownRecord, around: SchemaResource | undefined): SchemaResource {
  const { $id, $schema } = schema;
  return {
    root: schema,
    uri: join(typeof $id === "string" ? $id : "", around?.uri ?? NO_BASE),
    refStandsAlone:
      typeof $schema === "string" ? /draft-0[3-7]/.test($schema) : (around?.refStandsAlone ?? false),
    anchors: new Map(),
    dynamicAnchors: new Map(),
  };
}

function* partsOf(schema: UnknownRecord): Iterable<unknown> {
  for (const [keyword, held] of Object.entries(schema)) {
    if (HOLDS_NAMED_PARTS.has(keyword) && isRecord(held)) yield* Object.values(held);
    else if (HOLDS_PARTS.has(keyword) && Array.isArray(held)) yield* held;
    else if (HOLDS_PARTS.has(keyword)) yield held;
  }
}

function join(address: string, base: string): string {
  try {
    const url = new URL(address, base);
    url.hash = "";
    return url.href;
  } catch {
    return address;
  }
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
