import { isSpecType } from "@modelcontextprotocol/client";
import { isRecord, measureJson, type UnknownRecord } from "../../core/index.ts";

const MAX_DEFINITION_BYTES = 262_144;
const MAX_NESTING = 100;
const MODERN = "2026-07-28";

/** Where the stand-in of a tool says what is wrong with the tool. */
export const UNUSABLE = "pinhole/unusable";

/**
 * Makes a result fit for the SDK, which refuses it as a whole for a single fault: a tool that is none stands in
 * the list as an empty one that says why, a result of data alone gets the content that it lacks, and one that
 * does not say what kind of result it is counts as complete (SEP-2322).
 */
export function repairResult<Result extends UnknownRecord>(
  given: Result,
  method: string,
  version = MODERN,
): Result {
  const lacksType = given.resultType === undefined && version >= MODERN && method !== "initialize";
  const result = lacksType ? { ...given, resultType: "complete" } : given;
  if (method === "tools/list" && Array.isArray(result.tools)) {
    return { ...result, tools: result.tools.map((tool) => standIn(tool, version)) };
  }
  const isDataAlone = result.content === undefined && result.structuredContent !== undefined;
  return method === "tools/call" && isDataAlone ? { ...result, content: [] } : result;
}

function standIn(tool: unknown, version: string): unknown {
  const problem = problemOf(tool, version);
  if (problem === undefined) return tool;
  const name = isRecord(tool) && typeof tool.name === "string" ? tool.name.slice(0, 100) : "";
  return { name, inputSchema: { type: "object" }, _meta: { [UNUSABLE]: problem } };
}

/** What is wrong with a tool, as the end of a sentence; depth and size come first, because the rest walks it. */
function problemOf(tool: unknown, version: string): string | undefined {
  if (!isRecord(tool) || typeof tool.name !== "string") return "has no name";
  if (isTooDeep(tool)) return `is nested deeper than ${MAX_NESTING} levels`;
  if (measureJson(tool, MAX_DEFINITION_BYTES).over)
    return `has a definition of more than ${MAX_DEFINITION_BYTES} bytes`;
  if (!isRecord(tool.inputSchema)) return "has no schema for its input";
  if (tool.inputSchema.type !== "object") return "takes an input that is no object";
  if (!isSpecType.Tool(tool)) return "has a definition that is not what MCP says";
  // Such a call is answered with a task that its client has to look after. Since 2026-07-28 there is no such word.
  const { taskSupport } = isRecord(tool.execution) ? tool.execution : {};
  if (version < MODERN && taskSupport === "required")
    return "can only be run as a task, which a gateway does not do";
  // Before 2026-07-28 an output had to be described as an input is.
  const asInput = { name: "output", inputSchema: tool.outputSchema };
  if (version < MODERN && tool.outputSchema !== undefined && !isSpecType.Tool(asInput))
    return "declares an output that its revision of MCP does not have";
  return undefined;
}

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth > MAX_NESTING || Object.values(value).some((part) => isTooDeep(part, depth + 1));
}
