import { TOOL_NAMES, type ToolName } from "../../contract/index.ts";
import { nearest } from "../../core/index.ts";

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

/** What there is instead of a tool that there is not. */
export interface Instead {
  /** The tools of this caller. */
  readonly listed: readonly string[];
  /** The operation that it seems to mean, which `call` runs. */
  readonly callable?: string | undefined;
}

/** Why there is no such tool, and what to use of those that there are. */
export function unknownTool(name: string, { listed, callable }: Instead): string {
  const [close] = nearest(name, listed, 1);
  const few = listed.length <= 8 ? ` The tools are ${listed.join(", ")}.` : " tools/list shows them.";
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}.${close ? ` Did you mean ${close}?` : few}${about()}`;

  function about(): string {
    if (!listed.includes("call")) return "";
    if (callable !== undefined)
      return ` ${callable} is an operation: run it as call with {"operation": ${JSON.stringify(callable)}}.`;
    return close ? "" : " Operations are not tools: search finds them, and call runs them.";
  }
}
