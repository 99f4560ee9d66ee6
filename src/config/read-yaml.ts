import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from "yaml";
import { ConfigError } from "./config-error.ts";

/** So many uses of anchors are plenty; each may multiply what the one before it made. */
const MAX_ALIASES = 1_000;
const MAX_FAULTS = 10;

/** What stands in a YAML file, and where. */
export interface ReadYaml {
  /** Null where nothing stands in it. */
  readonly value: unknown;
  /** The line of what a list of keys and indices leads to, or of the last part of it that exists. */
  lineOf(keys: readonly string[]): number;
}

/** Reads one YAML document of plain data; throws a ConfigError that names `file` and the lines. */
export function readYaml(text: string, file: string): ReadYaml {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  // One mistake may bring many others along.
  const faults = [...document.errors, ...document.warnings].slice(0, MAX_FAULTS);
  if (faults.length > 0) {
    throw new ConfigError(
      faults.map((fault) => ({ file, line: lineAt(fault.pos[0]), path: "", message: sentenceFor(fault) })),
    );
  }
  return {
    value: plainValue(document, file),
    lineOf: (keys) => lineAt(offsetOf(document, keys)),
  };
}

function plainValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    // The package throws for aliases only: of an anchor that does not exist, or far too many.
    const message = `The aliases (*name) lead nowhere or to far too much. Give each an anchor (&name) above it, and use at most ${MAX_ALIASES}.`;
    throw new ConfigError([{ file, path: "", message }]);
  }
}

function offsetOf(document: Document, keys: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const key of keys) {
    if (isAlias(node)) break;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
      if (!pair) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(key)];
      if (item === undefined) break;
      offset = startOf(item) ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The faults that people make most, in words that say what to do; the package's own words for the rest. */
function sentenceFor({ code, message }: YAMLError): string {
  switch (code) {
    case "DUPLICATE_KEY":
      return "This key stands here for the second time. Keep one of the two.";
    case "TAB_AS_INDENT":
      return "This line is indented with a tab. Use spaces.";
    case "MULTIPLE_DOCS":
      return "A second document begins here (---). Keep everything in one.";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "A value and a new key stand on one line. Put the key on a line of its own, or the value in quotes.";
    case "NON_STRING_KEY":
      return "A key is a plain text. Put it in quotes.";
    case "TAG_RESOLVE_FAILED":
      return "Tags (!name) mean nothing here. Take it away, or put the value in quotes.";
    default:
      // After a colon the package may quote the file, and what is quoted may be a secret.
      return `This is not valid YAML: ${message.replace(/: .*$/s, "")}.`;
  }
}
