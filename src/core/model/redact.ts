import { NotJson, type UnknownRecord } from "./json.ts";
import { formsOfSecret, MIN_SECRET_LENGTH } from "./secret-forms.ts";

/** The replacement of a secret. */
const REDACTED = "[redacted]";

/** Takes secrets out of what others may read. */
export interface Redactor {
  /** The text without the secrets; the same text where it has none. */
  text(text: string): string;
  /** The JSON value without the secrets in its texts and keys; the very same value where it has none. */
  value<Value>(value: Value): Value;
}

/** A redactor that knows no secrets. */
export const NO_REDACTION: Redactor = { text: (text) => text, value: (value) => value };

/** As deep as a value may be that goes out. */
const MAX_DEPTH = 500;

/**
 * Compiles secrets into a redactor. Each is found as it is and in the forms that echoes have; one of fewer than 8
 * characters is not redacted, because it would take ordinary words out of answers.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const needles = [...new Set(secrets.flatMap(formsOfSecret))];
  if (needles.length === 0) return NO_REDACTION;
  const find = compileSearch(needles);

  function text(given: string): string {
    if (given.length < MIN_SECRET_LENGTH) return given;
    const found = find(given);
    return found.length === 0 ? given : cutOut(given, found);
  }

  return {
    text,
    value: <Value>(value: Value) => (isClean(value, text) ? value : (withoutSecrets(value, text) as Value)),
  };
}

/** Parts of a value to visit before it is treated as one that shares parts without end. */
const MANY_PARTS = 1_000_000;

type RedactText = (text: string) => string;

/** True if a value surely has no secret: most have none, and this check is cheapest. */
function isClean(value: unknown, text: RedactText): boolean {
  let parts = 0;
  const visit = (current: unknown, depth: number): boolean => {
    if (typeof current === "string") return text(current) === current;
    if (typeof current !== "object" || current === null) return true;
    if (depth > MAX_DEPTH || ++parts > MANY_PARTS) return false;
    if (Array.isArray(current)) {
      for (const part of current) if (!visit(part, depth + 1)) return false;
      return true;
    }
    if ("toJSON" in current) return false;
    for (const key in current) {
      if (text(key) !== key || !visit((current as UnknownRecord)[key], depth + 1)) return false;
    }
    return true;
  };
  return visit(value, 0);
}

/** A copy without secrets; only changed parts are new. Parts that are shared, or contain themselves, are walked once. */
function withoutSecrets(value: unknown, text: RedactText): unknown {
  const known = new Map<object, unknown>();

  const visit = (current: unknown, depth: number): unknown => {
    if (typeof current === "string") return text(current);
    if (typeof current !== "object" || current === null) return current;
    if (known.has(current)) return known.get(current);
    if (depth > MAX_DEPTH) throw new NotJson(`nested deeper than ${MAX_DEPTH} levels`);
    known.set(current, current);
    const clean = cleanParts(current, depth + 1);
    known.set(current, clean);
    return clean;
  };

  const cleanParts = (current: object, depth: number): unknown => {
    if ("toJSON" in current && typeof current.toJSON === "function") {
      const json: unknown = current.toJSON();
      const clean = visit(json, depth);
      return clean === json ? current : clean;
    }
    if (Array.isArray(current)) {
      const parts = current.map((part) => visit(part, depth));
      return parts.every((part, at) => Object.is(part, current[at])) ? current : parts;
    }
    return cleanRecord(current as UnknownRecord, depth);
  };

  const cleanRecord = (current: UnknownRecord, depth: number): unknown => {
    let copy: Record<string, unknown> | undefined;
    let isRenamed = false;
    for (const key of Object.keys(current)) {
      const clean = visit(current[key], depth);
      if (!Object.is(clean, current[key])) {
        copy ??= { ...current };
        copy[key] = clean;
      }
      isRenamed ||= text(key) !== key;
    }
    const clean = copy ?? current;
    if (!isRenamed) return clean;
    return Object.fromEntries(Object.entries(clean).map(([key, part]) => [text(key), part]));
  };

  return visit(value, 0);
}

interface Found {
  readonly start: number;
  readonly end: number;
}

type Search = (text: string) => readonly Found[];

/** Needles are searched by their last characters: tokens of one kind often begin alike. */
const WINDOW = MIN_SECRET_LENGTH;
const BLOCK = 3;
const SMALLEST_TABLE = 4_096;
const LARGEST_TABLE = 131_072;
const NOTHING: readonly Found[] = [];

/**
 * Finds all needles in one pass, however many there are (Wu and Manber, 1994): a table says how far the three characters at
 * the end of a window are from the end of any needle, so that most of a text is skipped unread.
 */
function compileSearch(needles: readonly string[]): Search {
  let size = SMALLEST_TABLE;
  while (size < needles.length * 32 && size < LARGEST_TABLE) size *= 2;
  const mask = size - 1;
  const hashAt = (text: string, at: number) =>
    ((text.charCodeAt(at - 2) << 10) ^ (text.charCodeAt(at - 1) << 5) ^ text.charCodeAt(at)) & mask;
  const farthest = WINDOW - BLOCK + 1;
  const skips = new Uint8Array(size).fill(farthest);
  const endings = new Map<number, string[]>();
  for (const needle of needles) {
    const last = needle.length - 1;
    for (let back = 0; back < farthest; back++) {
      const hash = hashAt(needle, last - back);
      skips[hash] = Math.min(skips[hash] as number, back);
    }
    const hash = hashAt(needle, last);
    const known = endings.get(hash);
    if (known) known.push(needle);
    else endings.set(hash, [needle]);
  }

  return (text) => {
    let found: Found[] | undefined;
    for (let at = WINDOW - 1; at < text.length; ) {
      const hash = hashAt(text, at);
      const skip = skips[hash] as number;
      if (skip > 0) {
        at += skip;
        continue;
      }
      at++;
      for (const needle of endings.get(hash) as string[]) {
        const start = at - needle.length;
        if (start >= 0 && text.startsWith(needle, start)) {
          found ??= [];
          found.push({ start, end: at });
        }
      }
    }
    return found ?? NOTHING;
  };
}

/** Secrets may overlap; everything that any of them covers is removed. */
function cutOut(text: string, found: readonly Found[]): string {
  const inOrder = found.length === 1 ? found : found.toSorted((one, other) => one.start - other.start);
  let clean = "";
  let rest = 0;
  for (const { start, end } of inOrder) {
    if (start >= rest) clean += text.slice(rest, start) + REDACTED;
    rest = Math.max(rest, end);
  }
  return clean + text.slice(rest);
}
