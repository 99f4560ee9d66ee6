import { isRecord } from "./json.ts";

const MAX_DEPTH = 500;

/** Size of a value as compact JSON: `bytes` counts up to the limit, `over` says that it goes beyond. */
export interface Measure {
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
