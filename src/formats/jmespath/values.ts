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

/** Compares two numbers or two strings: negative, zero or positive. */
export function compare(one: number | string, other: number | string, budget: Budget): number {
  if (typeof one === "string") return compareTexts(one, String(other), budget);
  budget.spend(3);
  return one - Number(other);
}

function compareTexts(one: string, other: string, budget: Budget): number {
  budget.spend(4 + Math.min(one.length, other.length) / 16);
  return one === other ? 0 : one < other ? -1 : 1;
}

/** A value as JSON. Shared parts are written once for each place, so the whole is counted before the first is written. */
export function toJson(value: unknown, budget: Budget): string {
  spendWriting(value, budget);
  return JSON.stringify(value) ?? "null";
}

function spendWriting(value: unknown, budget: Budget): void {
  if (typeof value === "string") spendQuoting(value, budget);
  else if (Array.isArray(value)) {
    budget.spend(4);
    for (const item of value) spendWriting(item, budget);
  } else if (isRecord(value)) {
    budget.spend(4);
    for (const key of budget.keysOf(value)) {
      spendQuoting(key, budget);
      spendWriting(value[key], budget);
    }
    // Digits after the point take long to find.
  } else budget.spend(Number.isInteger(value) ? 5 : 10);
}

function spendQuoting(text: string, budget: Budget): void {
  // Half a character is escaped, and that is slow.
  budget.spend(5 + text.length * (text.isWellFormed() ? 1 : 6));
}
