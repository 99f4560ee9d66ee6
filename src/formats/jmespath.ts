import jmespath from "jmespath";
import { isRecord, type Selector } from "../core/index.ts";

const MAX_LENGTH = 2_000;

/** Selects parts of an output by JMESPath: no loops, no regular expressions, nothing that runs on. */
export function createSelector(): Selector {
  return {
    problemOf(expression) {
      if (expression.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
      try {
        jmespath.compile(expression);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },

    select(expression, value) {
      try {
        return onlyData(jmespath.search(value, expression));
      } catch (error) {
        throw new Error(messageOf(error));
      }
    },
  };
}

/** `constructor` and its like are found on every object, but are no data. */
function onlyData(selected: unknown): unknown {
  if (typeof selected === "function" || selected === undefined) return null;
  if (Array.isArray(selected))
    return selected.some((item) => typeof item === "function") ? selected.map(onlyData) : selected;
  if (isRecord(selected) && Object.values(selected).some((part) => typeof part === "function")) {
    return Object.fromEntries(Object.entries(selected).map(([key, part]) => [key, onlyData(part)]));
  }
  return selected;
}

function messageOf(error: unknown): string {
  if (error instanceof RangeError) return "it is nested too deeply";
  return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
}
