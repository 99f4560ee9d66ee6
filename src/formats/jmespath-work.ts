import type { Node } from "jmespath";
import { childrenOf } from "./jmespath-expression.ts";

/** What an expression does to a value at most: how often it repeats it, and how often it goes over it. */
interface Effect {
  readonly copies: number;
  readonly passes: number;
  /** The field that it looks at and nothing else, if there is one. */
  readonly field?: string | undefined;
}

/** How often an expression goes over its input at most. It grows fast: `[@, @] | [@, @] | [@, @]`. */
export function passesOf(expression: Node): number {
  return effectOf(expression).passes;
}

/** How much there is to go over in a value; counting stops above `most`. */
export function sizeOf(value: unknown, most: number): number {
  let size = 0;
  const open = [value];
  while (open.length > 0 && size <= most) {
    const part = open.pop();
    size += typeof part === "string" ? 1 + part.length / 8 : 1;
    if (typeof part === "object" && part !== null) for (const inner of Object.values(part)) open.push(inner);
  }
  return size;
}

function effectOf(node: Node): Effect {
  const children = childrenOf(node);
  const effects = children.map(effectOf);
  switch (node.type) {
    case "Field":
      return { copies: 1, passes: 1, field: node.name };
    case "Literal":
      return { copies: 0, passes: 0 };
    case "Pipe":
    case "Subexpression":
    case "IndexExpression":
    case "Projection":
    case "ValueProjection":
    case "FilterProjection":
      return inTurn(sideBySide(effects.slice(0, 1)), sideBySide(effects.slice(1)));
    case "Function": {
      // An argument such as &name is applied to what the others give.
      const isApplied = (_: Effect, index: number) => children[index]?.type === "ExpressionReference";
      const given = effects.filter((effect, index) => !isApplied(effect, index));
      return inTurn(sideBySide(given), sideBySide(effects.filter(isApplied)));
    }
    default:
      return sideBySide(effects);
  }
}

/** Different fields are different parts of the input: together they are no more than all of it. */
function sideBySide(effects: readonly Effect[]): Effect {
  const fields = [...new Set(effects.map(({ field }) => field))];
  const total = (count: (effect: Effect) => number) => {
    const sums = fields.map((field) =>
      effects.reduce((sum, effect) => (effect.field === field ? sum + count(effect) : sum), 0),
    );
    const ofAll = sums[fields.indexOf(undefined)] ?? 0;
    return ofAll + Math.max(0, ...sums.filter((_, index) => fields[index] !== undefined));
  };
  return {
    copies: Math.max(
      1,
      total(({ copies }) => copies),
    ),
    passes: 1 + total(({ passes }) => passes),
    field: fields.length === 1 ? fields[0] : undefined,
  };
}

function inTurn(first: Effect, second: Effect): Effect {
  const passes = first.passes + first.copies * second.passes;
  return { copies: first.copies * second.copies, passes, field: first.field };
}
