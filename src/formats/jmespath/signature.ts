import type { Budget } from "../budget.ts";
import { type TypeName, typeOf } from "./values.ts";

/** Types of a parameter. */
export type Kind = TypeName | "any" | "expression" | "numbers" | "strings";

/** A function of JMESPath; the last parameter may be `repeated`. */
export interface FunctionOf<Arguments extends readonly unknown[] = never> {
  readonly takes: readonly (readonly Kind[])[];
  readonly repeated?: boolean;
  run(given: Arguments, budget: Budget): unknown;
}

const WORDS: Readonly<Record<Kind, string>> = {
  any: "anything",
  array: "an array",
  boolean: "a boolean",
  expression: "an expression such as &name",
  null: "null",
  number: "a number",
  numbers: "an array of numbers",
  object: "an object",
  string: "a string",
  strings: "an array of strings",
};

/** The allowed types of the argument at an index. */
export function kindsAt({ takes }: FunctionOf, index: number): readonly Kind[] {
  return takes[Math.min(index, takes.length - 1)] ?? [];
}

/** True if a value is a valid argument. */
export function isOfKind(value: unknown, kind: Kind, budget: Budget): boolean {
  if (kind === "any") return true;
  if (kind !== "numbers" && kind !== "strings") return typeOf(value) === kind;
  if (!Array.isArray(value)) return false;
  budget.spend(value.length);
  const wanted = kind === "numbers" ? "number" : "string";
  for (const item of value) if (typeof item !== wanted) return false;
  return true;
}

/** Throws an Error for too few or too many arguments. */
export function checkCount(name: string, { takes, repeated }: FunctionOf, count: number): void {
  if (repeated ? count >= takes.length : count === takes.length) return;
  const wanted = `${repeated ? "at least " : ""}${takes.length} argument${takes.length === 1 ? "" : "s"}`;
  throw new Error(`${name}() takes ${wanted}, not ${count}`);
}

/** The message about an argument of a wrong type. */
export function mismatch(
  name: string,
  called: FunctionOf,
  { index, argument }: { readonly index: number; readonly argument?: unknown },
): Error {
  const wanted = kindsAt(called, index)
    .map((kind) => WORDS[kind])
    .join(" or ");
  const got =
    argument !== undefined
      ? `, not ${WORDS[typeOf(argument)]}${Array.isArray(argument) ? " of other things" : ""}`
      : "";
  const place = called.takes.length > 1 ? ` as argument ${index + 1}` : "";
  return new Error(`${name}() takes ${wanted}${place}${got}`);
}
