import { nearest } from "../../core/index.ts";
import { TOOL_NAMES, type ToolName } from "../contract.ts";

/** Names that models know from other gateways; accepted, never listed. */
const OTHER_NAMES: Readonly<Record<string, ToolName>> = {
  tool_search: "search",
  tool_describe: "schema",
  tool_invoke: "call",
};

/** The tool that a name means, if it means one. */
export function toolOf(name: string): ToolName | undefined {
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  return TOOL_NAMES.find((tool) => tool === name);
}

/** Why there is no such tool, and what to use. */
export function unknownTool(name: string): string {
  const [close] = nearest(name, TOOL_NAMES, 1);
  const hint = close ? `Did you mean ${close}?` : `The tools are ${TOOL_NAMES.join(", ")}.`;
  const shown = JSON.stringify(name.slice(0, 100));
  return `There is no tool ${shown}. ${hint} Operations are not tools: run one as call with {"operation": ${shown}}.`;
}
