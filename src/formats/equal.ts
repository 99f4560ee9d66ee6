import { isRecord } from "../core/index.ts";
import type { Budget } from "./budget.ts";

/** Deep equality; the order of properties does not matter. */
export function isEqual(one: unknown, other: unknown, budget: Budget): boolean {
  budget.spend(3);
  if (typeof one === "string" && typeof other === "string") {
    budget.spend(1 + Math.min(one.length, other.length) / 16);
    return one === other;
  }
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index], budget));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = budget.keysOf(one);
  if (keys.length !== budget.keysOf(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key], budget));
}
