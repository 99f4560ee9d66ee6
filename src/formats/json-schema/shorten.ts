import { isRecord, type JsonSchema, measureJson, type UnknownRecord } from "../../core/index.ts";
import { HOLDS_DEFINITIONS, HOLDS_LIST, HOLDS_NAMED, HOLDS_ONE } from "./document.ts";

/** Limits of a shortened schema. */
export interface SchemaDetail {
  /** Levels of properties; the next level is shown without its content. */
  readonly depth: number;
  /** Shortens a description. */
  readonly describe: (text: string) => string;
  /** Maximum length of an enum; a longer one becomes a few examples. */
  readonly values: number;
  /** Maximum size of any other keyword's value, such as a default; larger ones are dropped. */
  readonly valueBytes: number;
  /** Maximum number of parts. */
  readonly maxParts: number;
}

/** A schema that was made shorter. */
interface ShortSchema {
  readonly schema: JsonSchema;
  /** JMESPath of the first omitted part; undefined if nothing was omitted. */
  readonly leftOut: string | undefined;
}

/** Marker for an omitted part. */
export const LEFT_OUT = "left out";

const DEFINITION = /^#\/(?:\$defs|definitions)\/([^/]+)$/;
/** Keywords that may refer to parts that are not shown. */
const REFERENCES: readonly string[] = ["$ref", "$dynamicRef", "$recursiveRef"];
const EXAMPLES = 5;
/** They say nothing without the properties that they are about. */
const OF_PROPERTIES: readonly string[] = ["required", "dependentRequired", "discriminator"];
/** Keywords with their own limit. */
const MEASURED: ReadonlySet<string> = new Set([
  ...HOLDS_NAMED,
  ...HOLDS_LIST,
  ...HOLDS_ONE,
  ...["description", "discriminator", "enum", "required"],
]);
const UNSHOWN: readonly string[] = [...HOLDS_DEFINITIONS, "examples", "$comment"];
/** Keywords in the outline of a definition. */
const OUTLINE: readonly string[] = ["title", "type"];

class TooManyParts extends Error {}

/**
 * The same schema with less in it, to be read and not to check with: shorter descriptions, no examples, and nothing below a
 * depth. It is self-contained: a definition that is too deep is kept as an outline. Undefined if even that
 * has too many parts.
 */
export function shortenSchema(schema: JsonSchema, detail: SchemaDetail): ShortSchema | undefined {
  if (!isRecord(schema)) return { schema, leftOut: undefined };
  try {
    return new Shortener(schema, detail).run();
  } catch (error) {
    if (error instanceof TooManyParts) return undefined;
    throw error;
  }
}

class Shortener {
  readonly #schema: UnknownRecord;
  /** The definitions and their keyword. */
  readonly #key: string;
  readonly #definitions: UnknownRecord;
  readonly #detail: SchemaDetail;
  /** The definitions to show, by depth. */
  readonly #met: Set<string>[] = [];
  /** Those that are referred to at all. */
  readonly #needed = new Set<string>();
  readonly #shown = new Map<string, unknown>();
  readonly #holding = new Map<object, boolean>();
  #parts = 0;
  #leftOut: string | undefined;

  constructor(schema: UnknownRecord, detail: SchemaDetail) {
    this.#schema = schema;
    this.#key = HOLDS_DEFINITIONS.find((key) => isRecord(schema[key])) ?? "$defs";
    const definitions = schema[this.#key];
    this.#definitions = isRecord(definitions) ? definitions : {};
    this.#detail = detail;
  }

  run(): ShortSchema {
    const root = this.#part(this.#schema, 0, "") as UnknownRecord;
    for (let depth = 0; depth < this.#met.length; depth++) {
      // More of the same depth may be added during the loop; a Set iterates over them, too.
      for (const name of this.#met[depth] ?? []) {
        if (this.#shown.has(name)) continue;
        this.#shown.set(name, this.#part(this.#definitions[name], depth, this.#pathTo(name)));
      }
    }
    const definitions = Object.fromEntries([...this.#needed].map((name) => [name, this.#definition(name)]));
    const schema = this.#needed.size === 0 ? root : { ...root, [this.#key]: definitions };
    return { schema, leftOut: this.#leftOut };
  }

  #pathTo(name: string): string {
    return pathOf(pathOf("", this.#key), name);
  }

  #definition(name: string): unknown {
    if (this.#shown.has(name)) return this.#shown.get(name);
    this.#count();
    const definition = this.#definitions[name];
    if (!isRecord(definition)) return definition;
    this.#leftOut ??= this.#pathTo(name);
    const outline = Object.entries(definition).filter(([keyword]) => OUTLINE.includes(keyword));
    return { ...Object.fromEntries(outline), $comment: LEFT_OUT };
  }

  #part(part: unknown, depth: number, path: string): unknown {
    this.#count();
    if (!isRecord(part)) return part;
    const isBelow = depth > this.#detail.depth;
    const shown: [keyword: string, value: unknown][] = [];
    let isWhole = true;
    for (const [keyword, value] of Object.entries(part)) {
      if (UNSHOWN.includes(keyword)) continue;
      const isHidden = isBelow && this.#holdsParts(keyword, value);
      if (isHidden || this.#leadsAway(keyword, value) || this.#isLarge(keyword, value)) isWhole = false;
      else if (keyword === "enum" && Array.isArray(value) && value.length > this.#detail.values) {
        shown.push(["examples", value.slice(0, EXAMPLES)]);
        isWhole = false;
      } else if (!isBelow || !OF_PROPERTIES.includes(keyword)) {
        const short = this.#keyword(keyword, value, { depth, path: pathOf(path, keyword) });
        if (short !== "" || keyword !== "description") shown.push([keyword, short]);
      }
    }
    if (isWhole) return Object.fromEntries(shown);
    this.#leftOut ??= path;
    return Object.fromEntries([...shown, ["$comment", LEFT_OUT]]);
  }

  #keyword(keyword: string, value: unknown, { depth, path }: { depth: number; path: string }): unknown {
    if (keyword === "description" && typeof value === "string") return this.#detail.describe(value);
    if (keyword === "$ref") this.#meet(nameIn(value), depth);
    // Its mapping may refer to omitted parts, and may be longer than everything else.
    if (keyword === "discriminator" && isRecord(value)) return { propertyName: value.propertyName };
    if (HOLDS_NAMED.includes(keyword) && isRecord(value)) {
      const named = Object.entries(value);
      return Object.fromEntries(
        named.map(([name, part]) => [name, this.#part(part, depth + 1, pathOf(path, name))]),
      );
    }
    if (keyword === "required" && Array.isArray(value)) this.#count(value.length);
    const isSingle = HOLDS_ONE.includes(keyword);
    // Before 2020-12 `items` could be a list too.
    if ((isSingle || HOLDS_LIST.includes(keyword)) && Array.isArray(value)) {
      return value.map((part, index) => this.#part(part, depth, `${path}[${index}]`));
    }
    return isSingle ? this.#part(value, depth, path) : value;
  }

  /** True for a keyword that leads one level down. Cached, because the same part may occur thousands of times. */
  #holdsParts(keyword: string, value: unknown): boolean {
    if (!HOLDS_NAMED.includes(keyword) || !isRecord(value)) return false;
    const holds = this.#holding.get(value) ?? Object.keys(value).length > 0;
    this.#holding.set(value, holds);
    return holds;
  }

  #isLarge(keyword: string, value: unknown): boolean {
    return !MEASURED.has(keyword) && measureJson(value, this.#detail.valueBytes).over;
  }

  /** True for a reference to anything but a definition or the root: its target may be omitted. */
  #leadsAway(keyword: string, value: unknown): boolean {
    if (!REFERENCES.includes(keyword) || value === "#") return false;
    const name = keyword === "$ref" ? nameIn(value) : undefined;
    return name === undefined || !Object.hasOwn(this.#definitions, name);
  }

  #meet(name: string | undefined, depth: number): void {
    if (name === undefined) return;
    this.#needed.add(name);
    if (depth > this.#detail.depth) return;
    this.#met[depth] ??= new Set();
    this.#met[depth].add(name);
  }

  #count(parts = 1): void {
    this.#parts += parts;
    if (this.#parts > this.#detail.maxParts) throw new TooManyParts();
  }
}

/** The definition that a reference names, however the name is written. */
function nameIn(reference: unknown): string | undefined {
  const name = typeof reference === "string" ? DEFINITION.exec(reference)?.[1] : undefined;
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return name;
  }
}

function pathOf(path: string, key: string): string {
  const written = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
  return path === "" ? written : `${path}.${written}`;
}
