/** A JSON Schema (2020-12, or draft-07 where it says so); `true` accepts anything. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A record whose fields are not known yet. */
export type UnknownRecord = { readonly [key: string]: unknown };

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Structural equality of two JSON values; the order of object keys does not matter. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameJson(item, right[index]));
  }
  const leftKeys = Object.keys(left);
  if (leftKeys.length !== Object.keys(right).length) return false;
  return leftKeys.every(
    (key) =>
      Object.hasOwn(right, key) && sameJson((left as UnknownRecord)[key], (right as UnknownRecord)[key]),
  );
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
    // A stray % is no valid escape: the reference leads nowhere.
    return undefined;
  }
}

/** One more step of an RFC 6901 pointer. */
export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
