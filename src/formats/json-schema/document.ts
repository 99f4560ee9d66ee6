import { atPointer, isRecord, SchemaUnusable, type UnknownRecord } from "../../core/index.ts";

const MAX_NODES = 500_000;
const NO_BASE = "https://schema.invalid/";

const HOLDS_MANY = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const HOLDS_NAMED = [
  "$defs",
  "definitions",
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
];
const HOLDS_ONE = [
  "items",
  "additionalItems",
  "additionalProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** A schema with an identity of its own: the root, or a part with `$id`. References start from it. */
export interface Resource {
  readonly root: unknown;
  readonly uri: string;
  /** Up to draft-07 a `$ref` switches off everything beside it. */
  readonly refStandsAlone: boolean;
  readonly anchors: Map<string, UnknownRecord>;
  readonly dynamicAnchors: Map<string, UnknownRecord>;
}

/** What a reference leads to. */
export interface Target {
  readonly schema: unknown;
  readonly resource: Resource;
}

/** One schema as it was handed in, with all the places in it that something can refer to. */
export class SchemaDocument {
  readonly root: Resource;
  readonly #byUri = new Map<string, Resource>();
  /** The resource that a part with `$id` starts. */
  readonly #starts = new Map<UnknownRecord, Resource>();

  constructor(schema: UnknownRecord) {
    this.root = newResource(schema, undefined);
    this.#byUri.set(this.root.uri, this.root);
    this.#scan(schema);
  }

  /** The resource that a part belongs to: the one around it, or one that it starts itself. */
  resourceOf(schema: UnknownRecord, around: Resource): Resource {
    return this.#starts.get(schema) ?? around;
  }

  /** Follows a reference; undefined where it leads out of the document or nowhere. The network is never asked. */
  resolve(reference: string, from: Resource): Target | undefined {
    const hash = reference.indexOf("#");
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = decode(hash === -1 ? "" : reference.slice(hash + 1));
    const resource = address === "" ? from : this.#byUri.get(join(address, from.uri));
    if (!resource || fragment === undefined) return undefined;
    if (fragment === "") return { schema: resource.root, resource };
    if (!fragment.startsWith("/")) {
      const schema = resource.anchors.get(fragment);
      return schema && { schema, resource };
    }
    return this.#walk(fragment, resource);
  }

  /** A pointer may lead through a part with `$id`, and is in that resource from there on. */
  #walk(pointer: string, from: Resource): Target | undefined {
    let schema: unknown = from.root;
    let resource = from;
    for (const token of pointer.slice(1).split("/")) {
      schema = atPointer(schema, `/${token}`);
      if (schema === undefined) return undefined;
      if (isRecord(schema)) resource = this.resourceOf(schema, resource);
    }
    return { schema, resource };
  }

  #scan(root: UnknownRecord): void {
    const visited = new Set<UnknownRecord>();
    const open: [UnknownRecord, Resource][] = [[root, this.root]];
    for (let next = open.pop(); next; next = open.pop()) {
      const [schema, around] = next;
      if (visited.has(schema)) continue;
      visited.add(schema);
      if (visited.size > MAX_NODES) throw new SchemaUnusable(`the schema has more than ${MAX_NODES} parts`);
      const resource = this.#enter(schema, around);
      for (const part of partsOf(schema)) if (isRecord(part)) open.push([part, resource]);
    }
  }

  #enter(schema: UnknownRecord, around: Resource): Resource {
    let resource = around;
    const { $id, $anchor, $dynamicAnchor } = schema;
    const ignored = around.refStandsAlone && "$ref" in schema;
    if (typeof $id === "string" && schema !== this.root.root && !ignored) {
      if ($id.startsWith("#")) around.anchors.set($id.slice(1), schema);
      else {
        resource = newResource(schema, around);
        this.#starts.set(schema, resource);
        this.#byUri.set(resource.uri, resource);
      }
    }
    if (typeof $anchor === "string") resource.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === "string") {
      resource.anchors.set($dynamicAnchor, schema);
      resource.dynamicAnchors.set($dynamicAnchor, schema);
    }
    return resource;
  }
}

function newResource(schema: UnknownRecord, around: Resource | undefined): Resource {
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
  for (const key of HOLDS_ONE) if (schema[key] !== undefined) yield schema[key];
  for (const key of HOLDS_MANY) if (Array.isArray(schema[key])) yield* schema[key];
  for (const key of HOLDS_NAMED) if (isRecord(schema[key])) yield* Object.values(schema[key]);
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
