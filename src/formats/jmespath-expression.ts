import jmespath, { type Node } from "jmespath";
import { isRecord, nearest } from "../core/index.ts";

/** How many arguments each function takes; `merge` and `not_null` take any number. */
const FUNCTIONS = new Map<string, number | undefined>([
  ...["abs", "avg", "ceil", "floor", "keys", "length", "max", "min", "reverse", "sort", "sum"].map(taking(1)),
  ...["to_array", "to_number", "to_string", "type", "values"].map(taking(1)),
  ...["contains", "ends_with", "join", "map", "max_by", "min_by", "sort_by", "starts_with"].map(taking(2)),
  ...["merge", "not_null"].map(taking(undefined)),
]);

/** Slips that the parser of the package reports in words of its own. */
const SLIPS: readonly [RegExp, string][] = [
  [/EOF/, "it ends too early"],
  [/NaN/, 'a name with a hyphen needs double quotes: "first-name"'],
  [/Cannot read prop/, "it cannot be parsed; compare with ==, and write literals as 'text' or `1`"],
];

/** Parses an expression; throws an Error that says what is wrong with it. */
export function parseExpression(expression: string): Node {
  const root = parse(expression);
  for (const node of nodesOf(root)) {
    if (node.children?.includes(undefined)) throw new Error("a name is missing after a dot");
    if (node.type === "Function") checkCall(node);
  }
  return root;
}

/** All nodes of an expression. */
export function* nodesOf(node: Node): Iterable<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

/** The parts of a node that are expressions themselves. */
export function childrenOf({ type, children = [], value }: Node): readonly Node[] {
  const all = type === "KeyValuePair" ? [value] : children;
  return all.filter((child): child is Node => isRecord(child));
}

function parse(expression: string): Node {
  try {
    return jmespath.compile(expression);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, advice] = SLIPS.find(([slip]) => slip.test(message)) ?? [];
    throw advice ? new Error(advice) : error;
  }
}

/** A wrong call is found here rather than when it runs: by then the operation has run, too. */
function checkCall({ name = "", children = [] }: Node): void {
  const wanted = FUNCTIONS.get(name);
  if (!FUNCTIONS.has(name)) {
    const [close] = nearest(name, FUNCTIONS.keys(), 1);
    const advice = close
      ? `did you mean ${close}()?`
      : `there are ${[...FUNCTIONS.keys()].sort().join(", ")}`;
    throw new Error(`there is no function ${name}(); ${advice}`);
  }
  if (wanted === undefined ? children.length === 0 : children.length !== wanted) {
    const count = wanted === 2 ? "2 arguments" : wanted === 1 ? "1 argument" : "at least 1 argument";
    throw new Error(`${name}() takes ${count}, not ${children.length}`);
  }
}

function taking(count: number | undefined): (name: string) => [string, number | undefined] {
  return (name) => [name, count];
}
