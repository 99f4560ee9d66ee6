import { nearest } from "../../core/index.ts";
import { TOOL_NAMES, type ToolName } from "../contract.ts";

/** Names that models know from other gateways; accepted, never listed. */
export const OTHER_NAMES: Readonly<Record<string, ToolName>> = {
  tool_search: "search",
  tool_describe: "schema",
  tool_invoke: "call",
};

/** The tool that is `call` for queries alone. */
export const QUERY_TOOL = "query";

/** The tool that a name means, if it means one. */
export function toolOf(name: string): ToolName | undefined {
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  return TOOL_NAMES.find((tool) => tool === name);
}

/** Why there is no such tool, and what to use of those that there are. */
export function unknownTool(name: string, listed: readonly string[]): string {
  const [close] = nearest(name, listed, 1);
  const few = listed.length <= 8 ? ` The tools are ${listed.join(", ")}.` : " tools/list shows them.";
  const hint = close ? ` Did you mean ${close}?` : few;
  const shown = JSON.stringify(name.slice(0, 100));
  const operations = listed.includes("call")
    ? ` Operations are not tools: run one as call with {"operation": ${shown}}.`
    : "";
  return `There is no tool ${shown}.${hint}${operations}`;
}
