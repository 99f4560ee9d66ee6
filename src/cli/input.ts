import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, parseJson } from "../core/index.ts";
import { type Invocation, UsageError } from "./command.ts";

/** The input of a call: JSON, @FILE, - for the standard input, or key=value pairs, which the schema helps to interpret. */
export async function readInput(
  invocation: Invocation,
  words: readonly string[],
  findSchema: () => Promise<unknown>,
): Promise<unknown> {
  const [first] = words;
  if (first === undefined) return undefined;
  if (words.length === 1 && (first === "-" || /^[@{[]/.test(first))) return readJson(invocation, first);
  return readPairs(words, await findSchema());
}

/** JSON as it was typed, or out of a file or the standard input. */
export async function readJson({ directory }: Pick<Invocation, "directory">, word: string): Promise<unknown> {
  if (word === "-") return parse(await standardInput(), "The standard input");
  if (!word.startsWith("@")) return parse(word, "The input");
  const file = resolve(directory, word.slice(1));
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}).`);
  });
  return parse(text, file);
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} is not valid JSON: ${messageOf(error)}`);
  }
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** Pairs as one object. The schema decides the type of a value: 007 is a string if a string is expected. */
function readPairs(words: readonly string[], schema: unknown): Readonly<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const word of words) {
    const split = word.indexOf("=");
    if (split < 1) {
      throw new UsageError(
        `${JSON.stringify(word)} is not a key=value pair. Input is pairs, JSON in quotes, @FILE or - for the standard input.`,
      );
    }
    const key = word.slice(0, split);
    if (seen.has(key))
      throw new UsageError(`${key} is given twice. A list is written as JSON: '${key}=["one", "two"]'.`);
    seen.add(key);
    const keys = propertyOf(schema, key) === undefined ? key.split(".") : [key];
    const expected = keys.reduce<unknown>(propertyOf, schema);
    put(input, keys, meaningOf(word.slice(split + 1), expected));
  }
  return input;
}

function put(target: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
    return;
  }
  const inner = Object.hasOwn(target, key) ? target[key] : undefined;
  const next = typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : {};
  put(target, [key], next);
  put(next, rest, value);
}

function meaningOf(text: string, expected: unknown): unknown {
  const types = [at(expected, "type")].flat();
  if (types.includes("string") && !types.some((type) => type !== "string" && type !== "null")) return text;
  const value = parseJson(text);
  return value === undefined ? text : value;
}

function propertyOf(schema: unknown, key: string): unknown {
  return at(at(schema, "properties"), key);
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
