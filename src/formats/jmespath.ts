import jmespath from "jmespath";
import { isRecord, type Selector } from "../core/index.ts";
import { nodesOf, parseExpression } from "./jmespath-expression.ts";
import { passesOf, sizeOf } from "./jmespath-work.ts";

const MAX_LENGTH = 2_000;
/** How often an expression may go over its input, and over how much in all: JMESPath itself sets no end. */
const MAX_PASSES = 10_000;
const MAX_WORK = 100_000_000;

/** Selects parts of an output by JMESPath, within bounds that no expression can break. */
export function createSelector(): Selector {
  return {
    problemOf(expression) {
      try {
        readExpression(expression);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },

    select(expression, value) {
      try {
        const { passes, meetsInherited } = readExpression(expression);
        const most = MAX_WORK / passes;
        if (sizeOf(value, most) > most)
          throw new Error(
            "it repeats too much of an output of this size; take the fields that you need first",
          );
        const selected = jmespath.search(value, expression) ?? null;
        return meetsInherited ? onlyData(selected, new Map()) : selected;
      } catch (error) {
        throw new Error(messageOf(error));
      }
    },
  };
}

function readExpression(expression: string): { passes: number; meetsInherited: boolean } {
  if (expression.length > MAX_LENGTH) throw new Error(`it is longer than ${MAX_LENGTH} characters`);
  const root = parseExpression(expression);
  const passes = passesOf(root);
  if (passes > MAX_PASSES) throw new Error("it repeats its input too often; leave out lists such as [@, @]");
  // `constructor` and its like are found on every object, but are no data.
  const meetsInherited = [...nodesOf(root)].some(({ type, name = "" }) => type === "Field" && name in {});
  return { passes, meetsInherited };
}

/** A copy without functions; a part that occurs twice is copied once. */
function onlyData(selected: unknown, copies: Map<unknown, unknown>): unknown {
  if (typeof selected === "function" || selected === undefined || selected === Object.prototype) return null;
  if (typeof selected !== "object" || selected === null) return selected;
  const known = copies.get(selected);
  if (known) return known;
  const parts = Object.entries(selected).map(([key, part]) => [key, onlyData(part, copies)] as const);
  const copy = isRecord(selected) ? Object.fromEntries(parts) : parts.map(([, part]) => part);
  copies.set(selected, copy);
  return copy;
}

function messageOf(error: unknown): string {
  if (error instanceof RangeError) return "it is nested too deeply, or its result is too large";
  const message = error instanceof Error ? error.message : String(error);
  // All that the package says where sort_by meets keys of different types.
  if (message === "TypeError") return "sort_by() needs keys that are all texts or all numbers";
  return message.replace(/^(?:Type|Argument)Error: /, "").replace(/\.$/, "");
}
