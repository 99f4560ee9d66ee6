/** A JSON Schema (2020-12, or draft-07 where it says so); `true` accepts anything. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A record whose fields are not known yet. */
export type UnknownRecord = { readonly [key: string]: unknown };

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
