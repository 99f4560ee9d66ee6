/** A JSON Schema (2020-12, or draft-07 where it says so); `true` accepts anything. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A record whose fields are not known yet. */
export type UnknownRecord = { readonly [key: string]: unknown };

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Structural equality of two JSON values; the order of object keys does not matter. Values that share parts with others
 * are compared faster where all comparisons are handed the same `known`: what was found equal is not walked again.
 */
export function sameJson(left: unknown, right: unknown, known?: Map<object, object>): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (known?.get(left) === right) return true;
  if (!haveSameParts(left, right, known)) return false;
  known?.set(left, right);
  return true;
}

function haveSameParts(left: object, right: object, known: Map<object, object> | undefined): boolean {
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    for (let at = 0; at < left.length; at++) if (!sameJson(left[at], right[at], known)) return false;
    return true;
  }
  const keys = Object.keys(left);
  const others = Object.keys(right);
  if (keys.length !== others.length) return false;
  for (const [at, key] of keys.entries()) {
    // Mostly the order is the same too.
    if (others[at] !== key && !Object.hasOwn(right, key)) return false;
    if (!sameJson((left as UnknownRecord)[key], (right as UnknownRecord)[key], known)) return false;
  }
  return true;
}

/** The value at an RFC 6901 pointer, or undefined where the pointer leads nowhere. */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === "") return value;
  if (!pointer.startsWith("/")) return undefined;
  let current = value;
  for (const token of pointer.slice(1).split("/")) {
    if (typeof current !== "object" || current === null) return undefined;
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!Object.hasOwn(current, key)) return undefined;
    current = (current as UnknownRecord)[key];
  }
  return current;
}

/** The value that a local reference such as `#/$defs/issue` points to, or undefined. */
export function atFragment(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  try {
    return atPointer(root, decodeURIComponent(reference.slice(1)));
  } catch {
    // A stray % is not a valid escape: the reference leads nowhere.
    return undefined;
  }
}

/** One more step of an RFC 6901 pointer. */
export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

const MAX_DEPTH = 500;

/** Size of a value as compact JSON: `bytes` counts up to the limit, `over` says that it goes beyond. */
interface Measure {
  readonly bytes: number;
  readonly over: boolean;
}

/** Thrown where a value cannot be written as JSON at all. */
export class NotJson extends Error {}

/**
 * Counts the bytes of a value as compact JSON and stops at the limit, so that a value that would expand
 * without end (shared parts, cycles) costs no more than the limit.
 */
export function measureJson(value: unknown, limit: number): Measure {
  let bytes = 0;

  const visit = (current: unknown, depth: number): boolean => {
    switch (typeof current) {
      case "string":
        bytes += stringBytes(current, limit);
        return bytes <= limit;
      case "number":
        bytes += Number.isFinite(current) ? String(current).length : 4;
        return bytes <= limit;
      case "boolean":
        bytes += current ? 4 : 5;
        return bytes <= limit;
      case "undefined":
        bytes += 4;
        return bytes <= limit;
      case "object":
        return visitObject(current, depth);
      default:
        throw new NotJson(`a ${typeof current} has no JSON form`);
    }
  };

  const visitObject = (current: object | null, depth: number): boolean => {
    if (current === null) {
      bytes += 4;
      return bytes <= limit;
    }
    if (depth > MAX_DEPTH) throw new NotJson(`nested deeper than ${MAX_DEPTH} levels, or containing itself`);
    if ("toJSON" in current && typeof current.toJSON === "function")
      return visit(current.toJSON(), depth + 1);
    bytes += 2;
    let commas = -1;
    if (Array.isArray(current)) {
      for (const item of current) {
        commas++;
        if (!visit(item, depth + 1)) return false;
      }
    } else if (isRecord(current)) {
      for (const key in current) {
        if (!Object.hasOwn(current, key) || current[key] === undefined) continue;
        commas++;
        bytes += stringBytes(key, limit) + 1;
        if (!visit(current[key], depth + 1)) return false;
      }
    }
    bytes += Math.max(commas, 0);
    return bytes <= limit;
  };

  const fits = visit(value, 0) && bytes <= limit;
  return { bytes: Math.min(bytes, limit), over: !fits };
}

function stringBytes(text: string, limit: number): number {
  if (text.length > limit) return text.length + 2;
  let bytes = text.length + 2;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20) bytes += code === 9 || code === 10 || code === 13 || code === 8 || code === 12 ? 1 : 5;
    else if (code === 0x22 || code === 0x5c) bytes += 1;
    // A surrogate pair is two code units and four bytes, so each half adds one byte to its own unit.
    else if (code > 0x7f) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
