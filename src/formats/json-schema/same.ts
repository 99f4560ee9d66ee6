import { createHash } from "node:crypto";
import { isRecord } from "../../core/index.ts";
import { keysOf, type Run, spend } from "./run.ts";

/** V8 tells long texts apart by their length alone; many of the same length would make a Set slow. */
const MAX_KEY = 10_000;

/** Key of a value for a Set or a Map: equal values have equal keys, whatever the order of their properties. */
export function keyOf(value: unknown, run: Run): unknown {
  if (typeof value === "string") return shortened(value.startsWith("\0") ? `\0'${value}` : value, run);
  return isCompound(value) ? shortened(`\0${canonicalText(value, run)}`, run) : value;
}

/** True for objects and arrays. */
export function isCompound(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function shortened(text: string, run: Run): string {
  spend(run, text.length / 16);
  if (text.length <= MAX_KEY) return text;
  return `\0#${createHash("sha256").update(text).digest("base64")}`;
}

function canonicalText(value: unknown, run: Run): string {
  if (typeof value === "string") {
    spend(run, 1 + value.length / 32);
    return lengthFirst(value);
  }
  spend(run, 1);
  if (Array.isArray(value)) {
    let text = "[";
    for (const item of value) text += `${canonicalText(item, run)},`;
    return `${text}]`;
  }
  if (!isRecord(value)) return String(value);
  let text = "{";
  for (const key of keysOf(value, run).toSorted())
    text += `${lengthFirst(key)}${canonicalText(value[key], run)},`;
  return `${text}}`;
}

/** A length prefix marks the end of a string; that is faster than escaping. */
function lengthFirst(text: string): string {
  return `${text.length}:${text}`;
}
