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

/** Limit of aliases; each may multiply the size of the one before it. */
const MAX_ALIASES = 1_000;
const MAX_FAULTS = 10;

/** The value of a YAML file, and the lines of its parts. */
export interface ReadYaml {
  /** Null for an empty file. */
  readonly value: unknown;
  /** The line of a path of keys and indices, or of its last part that exists. */
  lineOf(keys: readonly string[]): number;
}

/** Reads one YAML document of plain data; throws a ConfigError that names `file` and the lines. */
export function readYaml(text: string, file: string): ReadYaml {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  // One mistake may cause many others.
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
    // The package throws for aliases only: without an anchor, or far too many.
    const message = `The aliases (*name) have no anchor, or expand to far too much. Give each an anchor (&name) above it, and use at most ${MAX_ALIASES}.`;
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

/** Advice for the most common mistakes; the package's own words for the rest. */
function sentenceFor({ code, message }: YAMLError): string {
  switch (code) {
    case "DUPLICATE_KEY":
      return "This key is here for the second time. Keep one of them.";
    case "TAB_AS_INDENT":
      return "This line is indented with a tab. Use spaces.";
    case "MULTIPLE_DOCS":
      return "A second document begins here (---). Keep everything in one.";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "A value and a new key are on one line. Put the key on a line of its own, or the value in quotes.";
    case "NON_STRING_KEY":
      return "A key must be plain text. Put it in quotes.";
    case "TAG_RESOLVE_FAILED":
      return "Tags (!name) mean nothing here. Remove it, or put the value in quotes.";
    default:
      // After a colon the package may quote the file, and the quote may hold a secret.
      return `This is not valid YAML: ${message.replace(/: .*$/s, "")}.`;
  }
}
