import { isRecord, type UnknownRecord } from "../../core/index.ts";
import type { Budget } from "../budget.ts";

/** The types of JMESPath. */
export type TypeName = "array" | "boolean" | "null" | "number" | "object" | "string";

/** The type of a value; a value that is not JSON counts as null. */
export function typeOf(value: unknown): TypeName {
  if (Array.isArray(value)) return "array";
  if (isRecord(value)) return "object";
  const name = typeof value;
  return name === "string" || name === "number" || name === "boolean" ? name : "null";
}

/** A property of its own, never one that every object inherits. */
export function propertyOf(record: UnknownRecord, name: string): unknown {
  return (Object.hasOwn(record, name) ? record[name] : null) ?? null;
}

/** Sets a property; `__proto__` is a name like any other. */
export function setProperty(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") record[name] = value;
  else Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

/** True for null, false and everything empty. The number 0 is truthy. */
export function isFalse(value: unknown, budget: Budget): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return budget.keysOf(value).length === 0;
  return value === null || value === undefined || value === false || value === "";
}

/** Deep equality; the order of properties does not matter. */
export function isEqual(one: unknown, other: unknown, budget: Budget): boolean {
  budget.spend(3);
  if (typeof one === "string" && typeof other === "string") return compareTexts(one, other, budget) === 0;
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index], budget));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = budget.keysOf(one);
  if (keys.length !== budget.keysOf(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key], budget));
}

/** Compares two numbers or two strings: negative, zero or positive. */
export function compare(one: number | string, other: number | string, budget: Budget): number {
  if (typeof one === "string") return compareTexts(one, String(other), budget);
  budget.spend(3);
  return one - Number(other);
}

function compareTexts(one: string, other: string, budget: Budget): number {
  budget.spend(3 + Math.min(one.length, other.length) / 16);
  return one === other ? 0 : one < other ? -1 : 1;
}

/** A value as JSON. */
export function toJson(value: unknown, budget: Budget): string {
  const parts: string[] = [];
  write(value, { parts, budget });
  return parts.join("");
}

function write(value: unknown, to: { readonly parts: string[]; readonly budget: Budget }): void {
  const { parts, budget } = to;
  budget.spend(15);
  if (typeof value === "string") parts.push(quoted(value, budget));
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      parts.push(index === 0 ? "[" : ",");
      write(item, to);
    }
    parts.push(value.length === 0 ? "[]" : "]");
  } else if (isRecord(value)) {
    let before = "{";
    for (const key of budget.keysOf(value)) {
      if (value[key] === undefined) continue;
      parts.push(before, quoted(key, budget), ":");
      write(value[key], to);
      before = ",";
    }
    parts.push(before === "{" ? "{}" : "}");
  } else parts.push(JSON.stringify(value) ?? "null");
}

function quoted(text: string, budget: Budget): string {
  // Half a character is escaped, and that is slow.
  budget.spend(text.length * (text.isWellFormed() ? 2 : 10));
  return JSON.stringify(text);
}
