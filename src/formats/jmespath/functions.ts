import { nearest } from "../../core/index.ts";
import type { Evaluate } from "./evaluators.ts";
import { LIST_FUNCTIONS } from "./list-functions.ts";
import { SCALAR_FUNCTIONS } from "./scalar-functions.ts";
import { checkCount, type FunctionOf, isOfKind, kindsAt, mismatch } from "./signature.ts";

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
  return (value, budget) => {
    budget.spend(12);
    const values = given.map(({ isReference, evaluate }, index) => {
      if (isReference) return evaluate;
      const argument = evaluate(value, budget) ?? null;
      if (kindsAt(called, index).some((kind) => isOfKind(argument, kind, budget))) return argument;
      throw mismatch(name, called, { index, argument });
    });
    return called.run(values as never, budget);
  };
}

function adviceFor(name: string): string {
  const [close] = nearest(name, FUNCTIONS.keys(), 1);
  return close ? `did you mean ${close}()?` : `there are ${[...FUNCTIONS.keys()].sort().join(", ")}`;
}
