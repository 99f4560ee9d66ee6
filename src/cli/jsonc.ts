import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
  visit,
} from "jsonc-parser";

/** Thrown for text that is not JSON, even with comments and trailing commas. */
export class InvalidJson extends Error {
  override readonly name = "InvalidJson";
}

/** Reads JSON as editors write it: with comments and trailing commas. */
export function parseJsonc(text: string): unknown {
  return getNodeValue(treeOf(text));
}

/** Adds a member to the object, or an item to the list, at the path; creates what is missing and keeps everything else. */
export function insertJson(
  text: string,
  path: readonly string[],
  [name, value]: readonly [string, unknown],
): string {
  const source = text.trim() === "" ? "{}\n" : text;
  let node = treeOf(source);
  for (const [index, key] of path.entries()) {
    const next = findNodeAtLocation(node, [key]);
    if (!next) return put(source, node, key, nest(path.slice(index + 1), name, value));
    node = next;
  }
  return put(source, node, name, value);
}

const DEEPEST = 200;

function treeOf(text: string): Node {
  // A space in place of the byte order mark keeps every offset.
  const source = text.replace(/^\uFEFF/, " ");
  const options = { allowTrailingComma: true };
  let depth = 0;
  const enter = (_offset: number, _length: number, line: number) => {
    // The parser is recursive: without a bound, deep nesting overflows the stack.
    if (++depth > DEEPEST) throw faultAt(line, "nested too deeply");
  };
  const leave = () => void depth--;
  visit(
    source,
    {
      onObjectBegin: enter,
      onArrayBegin: enter,
      onObjectEnd: leave,
      onArrayEnd: leave,
      onError: (code, _offset, _length, line) => {
        throw faultAt(line, wordsOf(code));
      },
    },
    options,
  );
  const root = parseTree(source, [], options);
  if (!root) throw faultAt(0, "value expected");
  return root;
}

function faultAt(line: number, what: string): InvalidJson {
  return new InvalidJson(`line ${line + 1}: ${what}`);
}

/** `CommaExpected` as "comma expected". */
function wordsOf(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}

function nest(keys: readonly string[], name: string, value: unknown): unknown {
  if (name === "") return [value];
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), { [name]: value });
}

/** Replaces the member with that name, or adds one after the last, indented like its neighbours. */
function put(text: string, node: Node, name: string, value: unknown): string {
  const isList = name === "";
  if (node.type !== (isList ? "array" : "object"))
    throw new InvalidJson(
      `${isList ? "a list" : "an object"} was expected, not ${JSON.stringify(getNodeValue(node)).slice(0, 40)}`,
    );
  const { own, inner, step, newline } = layoutOf(text, node);
  const valueText = JSON.stringify(value, null, step).replaceAll("\n", `${newline}${inner}`);
  const known = isList ? undefined : findNodeAtLocation(node, [name]);
  if (known) return text.slice(0, known.offset) + valueText + text.slice(endOf(known));
  const member = newline + inner + (isList ? valueText : `${JSON.stringify(name)}: ${valueText}`);
  const last = node.children?.at(-1);
  if (!last)
    return `${text.slice(0, node.offset + 1)}${member}${newline}${own}${text.slice(endOf(node) - 1)}`;
  const comma = commaAfter(text, endOf(last));
  const end = comma === undefined ? endOf(last) : comma + 1;
  // A comment after the last member is about that one, and stays on its line.
  const comment = /(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y;
  comment.lastIndex = end;
  const kept = comment.exec(text)?.[0] ?? "";
  const [before, after] = comma === undefined ? [",", ""] : ["", ","];
  return `${text.slice(0, end)}${before}${kept}${member}${after}${text.slice(end + kept.length)}`;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The offset of a trailing comma. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}

/** Indentation and line ending of an object or a list. */
function layoutOf(text: string, { offset, children }: Node) {
  const own = indentAt(text, offset);
  const last = children?.at(-1);
  const begins = last && text.slice(text.lastIndexOf("\n", last.offset - 1) + 1, last.offset).trim() === "";
  const among = begins ? indentAt(text, last.offset) : "";
  const usual = own.includes("\t") ? "\t" : (/\n([ \t]+)"/.exec(text)?.[1] ?? "  ");
  const step = among.length > own.length && among.startsWith(own) ? among.slice(own.length) : usual;
  return { own, inner: begins ? among : own + step, step, newline: text.includes("\r\n") ? "\r\n" : "\n" };
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
}
