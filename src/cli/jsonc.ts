/** A value in a text of JSON with comments, and where it stands. */
export interface JsonNode {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
  /** The members of an object, the items of a list. */
  readonly parts: readonly JsonPart[];
}

/** A member of an object or an item of a list. */
export interface JsonPart {
  readonly key: string;
  readonly node: JsonNode;
  /** Where it begins, with its key. */
  readonly start: number;
  /** Where the comma behind it stands, if there is one. */
  readonly comma: number | undefined;
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
  const isList = name === "";
  if (Array.isArray(node.value) !== isList || typeof node.value !== "object" || node.value === null)
    throw new NoJson(
      `${isList ? "a list" : "an object"} was expected, not ${JSON.stringify(node.value).slice(0, 40)}`,
    );
  const { own, inner, step, newline } = layoutOf(text, node);
  const shown = JSON.stringify(value, null, step).replaceAll("\n", `${newline}${inner}`);
  const known = isList ? undefined : node.parts.findLast(({ key }) => key === name)?.node;
  if (known) return text.slice(0, known.start) + shown + text.slice(known.end);
  const member = newline + inner + (isList ? shown : `${JSON.stringify(name)}: ${shown}`);
  const last = node.parts.at(-1);
  if (!last) return `${text.slice(0, node.start + 1)}${member}${newline}${own}${text.slice(node.end - 1)}`;
  const end = last.comma === undefined ? last.node.end : last.comma + 1;
  // A comment behind the last member is about that one, and stays in its line.
  const comment = /(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y;
  comment.lastIndex = end;
  const kept = comment.exec(text)?.[0] ?? "";
  const [comma, after] = last.comma === undefined ? [",", ""] : ["", ","];
  return `${text.slice(0, end)}${comma}${kept}${member}${after}${text.slice(end + kept.length)}`;
}

/** How the lines of an object or a list are indented, and end. */
function layoutOf(text: string, { start, parts }: JsonNode) {
  const own = indentAt(text, start);
  const last = parts.at(-1);
  const begins = last && text.slice(text.lastIndexOf("\n", last.start - 1) + 1, last.start).trim() === "";
  const among = begins ? indentAt(text, last.start) : "";
  const usual = own.includes("\t") ? "\t" : (/\n([ \t]+)"/.exec(text)?.[1] ?? "  ");
  const step = among.length > own.length && among.startsWith(own) ? among.slice(own.length) : usual;
  return { own, inner: begins ? among : own + step, step, newline: text.includes("\r\n") ? "\r\n" : "\n" };
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
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
    const parts: JsonPart[] = [];
    for (;;) {
      this.skip();
      if (this.#text[this.at] === close) break;
      const at = this.at;
      const key = open === "{" ? this.#key() : String(parts.length);
      const node = this.value(depth + 1);
      this.skip();
      const comma = this.#text[this.at] === "," ? this.at++ : undefined;
      parts.push({ key, node, start: at, comma });
      if (comma === undefined && this.#text[this.at] !== close)
        throw this.fault(`a comma or ${close} is missing`);
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
