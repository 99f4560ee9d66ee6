/** A value in a text of JSON with comments, and where it stands. */
export interface JsonNode {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
  /** The members of an object, the items of a list. */
  readonly parts: readonly { readonly key: string; readonly node: JsonNode }[];
}

/** Thrown for a text that is no JSON even if comments and trailing commas are allowed. */
export class NoJson extends Error {
  override readonly name = "NoJson";
}

/** Reads JSON as editors write it: with comments and trailing commas. */
export function parseJsonc(text: string): JsonNode {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.skip();
  if (reader.at < text.length) throw reader.fault("something stands after the end");
  return node;
}

/** The text with one more member in the object, or one more item in the list, that the keys lead to; made if missing. */
export function insertJson(
  text: string,
  keys: readonly string[],
  [name, value]: readonly [string, unknown],
): string {
  const root = parseJsonc(text.trim() === "" ? "{}" : text);
  const source = text.trim() === "" ? "{}\n" : text;
  let node = root;
  for (const [index, key] of keys.entries()) {
    const next = node.parts.find((part) => part.key === key)?.node;
    if (!next) return put(source, node, key, nest(keys.slice(index + 1), name, value));
    node = next;
  }
  return put(source, node, name, value);
}

function nest(keys: readonly string[], name: string, value: unknown): unknown {
  if (name === "") return [value];
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), { [name]: value });
}

/** Replaces a member of that name, or adds one after the last, indented as its neighbours are. */
function put(text: string, node: JsonNode, name: string, value: unknown): string {
  const isList = Array.isArray(node.value);
  if (!isList && (typeof node.value !== "object" || node.value === null))
    throw new NoJson(`an object was expected, not ${JSON.stringify(node.value)}`);
  const line = text.slice(text.lastIndexOf("\n", node.start - 1) + 1, node.start);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  const step = indent.includes("\t") ? "\t" : "  ";
  const shown = JSON.stringify(value, null, step).replaceAll("\n", `\n${indent}${step}`);
  const known = isList ? undefined : node.parts.find(({ key }) => key === name)?.node;
  if (known) return text.slice(0, known.start) + shown + text.slice(known.end);
  const member = isList ? shown : `${JSON.stringify(name)}: ${shown}`;
  const last = node.parts.at(-1)?.node;
  if (!last)
    return `${text.slice(0, node.start + 1)}\n${indent}${step}${member}\n${indent}${text.slice(node.end - 1)}`;
  // A comma that is there already, and a comment behind the last member, stay where they are.
  const after = text.slice(last.end);
  const hasComma = /^\s*,/.test(after);
  return `${text.slice(0, last.end)},\n${indent}${step}${member}${hasComma ? after.replace(/^\s*,/, ",") : after}`;
}

const DEEPEST = 200;

class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonNode {
    this.skip();
    if (depth > DEEPEST) throw this.fault("it is nested too deeply");
    const start = this.at;
    const first = this.#text[start];
    if (first === "{" || first === "[") return this.#collection(first, depth);
    const literal =
      first === '"' ? this.#quoted() : (/^[-+.\w]+/.exec(this.#text.slice(start, start + 400))?.[0] ?? "");
    try {
      const value: unknown = JSON.parse(literal);
      this.at = start + literal.length;
      return { value, start, end: this.at, parts: [] };
    } catch {
      throw this.fault("no value begins here");
    }
  }

  /** Goes over spaces and comments. */
  skip(): void {
    const rest = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    rest.lastIndex = this.at;
    this.at += rest.exec(this.#text)?.[0].length ?? 0;
  }

  fault(what: string): NoJson {
    return new NoJson(`line ${this.#text.slice(0, this.at).split("\n").length}: ${what}`);
  }

  #collection(open: "{" | "[", depth: number): JsonNode {
    const start = this.at++;
    const close = open === "{" ? "}" : "]";
    const parts: { key: string; node: JsonNode }[] = [];
    for (;;) {
      this.skip();
      if (this.#text[this.at] === close) break;
      const key = open === "{" ? this.#key() : String(parts.length);
      parts.push({ key, node: this.value(depth + 1) });
      this.skip();
      if (this.#text[this.at] === ",") this.at++;
      else if (this.#text[this.at] !== close) throw this.fault(`a comma or ${close} is missing`);
    }
    this.at++;
    const entries = parts.map(({ key, node }) => [key, node.value] as const);
    const value = open === "{" ? Object.fromEntries(entries) : entries.map(([, item]) => item);
    return { value, start, end: this.at, parts };
  }

  #key(): string {
    const quoted = this.#quoted();
    this.at += quoted.length;
    this.skip();
    if (this.#text[this.at++] !== ":") throw this.fault("a colon is missing");
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.fault("a text in quotes was expected");
    }
  }

  #quoted(): string {
    const pattern = /"(?:[^"\\\n]|\\.)*"/y;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw this.fault("a text in quotes was expected");
    return found;
  }
}
