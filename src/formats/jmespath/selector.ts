import { messageOf, RecentMap, type Selector } from "../../core/index.ts";
import { Budget } from "../budget.ts";
import type { Evaluate } from "./evaluators.ts";
import { parseExpression } from "./parser.ts";

/** About 20 ns each on a busy machine, so that an expression takes some 20 ms of processor time; see decision 051. */
const STEPS = 1_000_000;
/** Each is asked about before the call and used after it; the rest is for agents that repeat themselves. */
const EXPRESSIONS_KEPT = 200;

/** Selects parts of an output by JMESPath, within a budget that no expression can exceed. */
export function createSelector(): Selector {
  const parsed = new RecentMap<string, Evaluate>(EXPRESSIONS_KEPT);
  const parse = (expression: string) => parsed.get(expression, () => parseExpression(expression));
  return {
    problemOf(expression) {
      try {
        parse(expression);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
    select(expression, value) {
      try {
        return parse(expression)(value, new Budget({ value, steps: STEPS, exceeded: tooManySteps })) ?? null;
      } catch (error) {
        // Values may be nested more deeply than the stack has room for.
        if (error instanceof RangeError) throw new Error("it goes too deep into the output");
        throw error;
      }
    },
  };
}

function tooManySteps(): Error {
  return new Error(
    "it takes too many steps; narrow it: filter or slice the list first, take only the fields that you need, and leave out lists in lists such as map() over literals",
  );
}
