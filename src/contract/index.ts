export { type ActionName, CONTRACT, checkArguments, PARTS, TOOL_NAMES, type ToolName } from "./shapes.ts";
