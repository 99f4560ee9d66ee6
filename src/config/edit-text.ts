import { Document, isCollection, isMap, isScalar, type Pair, parseDocument, visit, type YAMLMap } from "yaml";
import { isRecord, sameJson } from "../core/index.ts";
import { ConfigError } from "./config-error.ts";

/** The entry of a source in a configuration. */
export type SourceEntry = Readonly<Record<string, unknown>>;

const SOURCES = "sources";
const INDENT = "  ";

/** The text of a configuration with one more source; everything else is unchanged, including comments and spaces. */
export function withSource(text: string, name: string, entry: SourceEntry): string {
  const document = documentOf(text);
  const wanted = changed(document, (sources) => ({ ...sources, [name]: entry }));
  const written = insert(text, document, { name, entry });
  if (means(written, wanted)) return written;
  // For a layout that we do not know, the package rewrites the whole file, with its comments.
  document.setIn([SOURCES, name], document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}

/** The text of a configuration without a source; undefined if there is none of that name. */
export function withoutSource(text: string, name: string): string | undefined {
  const document = documentOf(text);
  const sources = document.get(SOURCES);
  const index = isMap(sources) ? sources.items.findIndex((item) => keyTextOf(item) === name) : -1;
  if (!isMap(sources) || index < 0) return undefined;
  const wanted = changed(document, ({ [name]: _, ...rest }) => rest);
  const written = removeLines(text, sources, index);
  if (means(written, wanted)) return written;
  document.deleteIn([SOURCES, name]);
  return document.toString({ lineWidth: 0 });
}

function documentOf(text: string): Document.Parsed {
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw new ConfigError("The configuration is not valid YAML. Fix it first: pinhole doctor shows where.");
  return document;
}

function changed(
  document: Document,
  change: (sources: Readonly<Record<string, unknown>>) => object,
): Readonly<Record<string, unknown>> {
  const value: unknown = document.toJS() ?? {};
  if (!isRecord(value))
    throw new ConfigError("The configuration is not a list of keys and values. Fix it first.");
  return { ...value, [SOURCES]: change(isRecord(value[SOURCES]) ? value[SOURCES] : {}) };
}

function means(text: string, wanted: unknown): boolean {
  const document = parseDocument(text);
  return document.errors.length === 0 && sameJson(document.toJS(), wanted);
}

interface Addition {
  readonly name: string;
  readonly entry: SourceEntry;
}

function insert(text: string, document: Document.Parsed, addition: Addition): string {
  const whole = isMap(document.contents) ? document.contents : undefined;
  const pair = whole?.items.find((item) => keyTextOf(item) === SOURCES);
  if (!pair)
    return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${SOURCES}:\n${blockOf(addition, INDENT)}`;
  const sources = pair.value;
  if (isMap(sources) && sources.items.length > 0) {
    return sources.flow ? intoFlow(text, sources, addition) : afterLast(text, sources, addition);
  }
  const key = rangeOf(pair.key);
  const empty = isMap(sources) ? rangeOf(sources) : undefined;
  const without = empty ? text.slice(0, empty[0]).trimEnd() + text.slice(empty[1]) : text;
  const lineEnd = endOfLine(without, key[1]);
  const before = without.slice(0, lineEnd);
  return `${before}${before.endsWith("\n") ? "" : "\n"}${blockOf(addition, INDENT)}${without.slice(lineEnd)}`;
}

function intoFlow(text: string, sources: YAMLMap, { name, entry }: Addition): string {
  const last = sources.items.at(-1) as Pair;
  const at = rangeOf(last.value ?? last.key)[1];
  return `${text.slice(0, at)}, ${scalar(name)}: ${flowOf(entry)}${text.slice(at)}`;
}

function afterLast(text: string, sources: YAMLMap, addition: Addition): string {
  const first = sources.items[0] as Pair;
  const last = sources.items.at(-1) as Pair;
  const start = rangeOf(first.key)[0];
  const indent = text.slice(startOfLine(text, start), start);
  const end = rangeOf(last.value ?? last.key)[1];
  const at = end > 0 && text[end - 1] === "\n" ? end : endOfLine(text, end);
  const before = text.slice(0, at);
  return `${before}${before.endsWith("\n") ? "" : "\n"}${blockOf(addition, indent)}${text.slice(at)}`;
}

/** Removes the comments right above a source too, but not those above the first, which may be about all. */
function removeLines(text: string, sources: YAMLMap, index: number): string {
  const pair = sources.items[index] as Pair;
  if (sources.flow) return text;
  let start = startOfLine(text, rangeOf(pair.key)[0]);
  while (index > 0 && start > 0 && /^[ \t]*#/.test(text.slice(startOfLine(text, start - 1), start)))
    start = startOfLine(text, start - 1);
  const end = rangeOf(pair.value ?? pair.key)[1];
  const at = text[end - 1] === "\n" ? end : endOfLine(text, end);
  const rest = text.slice(0, start) + text.slice(at);
  return sources.items.length > 1 ? rest : rest.replace(/^sources:/m, `${SOURCES}: {}`);
}

function blockOf({ name, entry }: Addition, indent: string): string {
  const document = new Document({ [name]: entry });
  visit(document, {
    Collection(_, node, path) {
      // The source and its keys are lines; what a key holds is short.
      if (isCollection(node) && path.length > 3) node.flow = true;
    },
  });
  return document
    .toString({ lineWidth: 0 })
    .trimEnd()
    .split("\n")
    .map((line) => `${indent}${line}\n`)
    .join("");
}

function flowOf(entry: SourceEntry): string {
  const document = new Document(entry);
  if (isCollection(document.contents)) document.contents.flow = true;
  return document.toString({ lineWidth: 0 }).trim();
}

function scalar(text: string): string {
  return new Document(text).toString({ lineWidth: 0 }).trim();
}

function keyTextOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

function rangeOf(node: unknown): readonly [start: number, end: number] {
  const range = isRecord(node) && Array.isArray(node.range) ? node.range : [0, 0];
  return [Number(range[0]), Number(range[1])];
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
