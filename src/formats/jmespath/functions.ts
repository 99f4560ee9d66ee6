import { nearest } from "../../core/index.ts";
import type { Budget } from "../budget.ts";
import type { Evaluate } from "./evaluators.ts";
import { LIST_FUNCTIONS } from "./list-functions.ts";
import { SCALAR_FUNCTIONS } from "./scalar-functions.ts";
import { checkCount, type FunctionOf, isOfKind, type Kind, kindsAt, mismatch } from "./signature.ts";

/** An argument: `&name` is passed as an expression instead of evaluated. */
export interface FunctionArgument {
  readonly isReference: boolean;
  readonly evaluate: Evaluate;
}

const FUNCTIONS: ReadonlyMap<string, FunctionOf> = new Map(
  Object.entries({ ...LIST_FUNCTIONS, ...SCALAR_FUNCTIONS }),
);

/** A function call. Its errors are found while parsing, before the operation runs. */
export function call(name: string, given: readonly FunctionArgument[]): Evaluate {
  const called = FUNCTIONS.get(name);
  if (!called) throw new Error(`there is no function ${name}(); ${adviceFor(name)}`);
  checkCount(name, called, given.length);
  for (const [index, { isReference }] of given.entries()) {
    if (isReference !== (kindsAt(called, index)[0] === "expression")) throw mismatch(name, called, { index });
  }
  const wanted = given.map((_, index) => kindsAt(called, index));
  return (value, budget) => {
    budget.spend(18);
    const values: unknown[] = [];
    for (let index = 0; index < given.length; index++) {
      const { isReference, evaluate } = given[index] as FunctionArgument;
      const argument = isReference ? evaluate : (evaluate(value, budget) ?? null);
      if (!isReference && !isOfOneKind(argument, wanted[index] as readonly Kind[], budget))
        throw mismatch(name, called, { index, argument });
      values.push(argument);
    }
    return called.run(values as never, budget);
  };
}

function isOfOneKind(argument: unknown, kinds: readonly Kind[], budget: Budget): boolean {
  for (const kind of kinds) if (isOfKind(argument, kind, budget)) return true;
  return false;
}

function adviceFor(name: string): string {
  const [close] = nearest(name, FUNCTIONS.keys(), 1);
  return close ? `did you mean ${close}()?` : `there are ${[...FUNCTIONS.keys()].sort().join(", ")}`;
}
