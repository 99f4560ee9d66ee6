import { isRecord } from "../../core/index.ts";
import { keysOf, type Run, spend } from "./run.ts";

/** A text that equal objects and arrays have in common, whatever the order of their properties. */
export function canonicalText(value: unknown, run: Run): string {
  spend(run, typeof value === "string" ? 1 + value.length / 32 : 1);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, run)).join()}]`;
  if (!isRecord(value)) return typeof value === "string" ? JSON.stringify(value) : String(value);
  const parts = keysOf(value, run)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key], run)}`);
  return `{${parts.join()}}`;
}

/** True for a value that `===` cannot compare. */
export function isCompound(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
