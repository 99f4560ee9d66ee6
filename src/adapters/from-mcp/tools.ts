import type { Tool } from "@modelcontextprotocol/client";
import {
  compilePatterns,
  completeSpec,
  isRecord,
  type JsonSchema,
  MAX_NAME_LENGTH,
  measureJson,
  type OperationSpec,
  problemOfName,
} from "../../core/index.ts";
import { ImportError } from "./import-error.ts";
import type { McpSourceOptions } from "./options.ts";

const MAX_DEFINITION_BYTES = 262_144;
const MAX_NESTING = 100;

/** What a tool answers with that declares nothing: content blocks, or data of any shape. */
const CONTENT: JsonSchema = Object.freeze({ type: "object", title: "content" });

/** The error by which a tool says that it failed. */
export const TOOL_ERROR = Object.freeze({
  code: "MCP_TOOL_ERROR",
  description: "The tool reports that it failed; its own words are in the message and in details.content.",
  httpStatus: 502,
});

/** Whether a tool of this name is for callers from outside. */
export type IsExternal = (tool: string) => boolean;

/** Compiles which tools are external. */
export function externalTools({ external }: Pick<McpSourceOptions, "external">): IsExternal {
  return compilePatterns(external);
}

/** What a tool is as an operation. Throws an ImportError for a definition that cannot be trusted. */
export function specOfTool(tool: Tool, options: McpSourceOptions, isExternal: IsExternal): OperationSpec {
  checkDefinition(tool);
  const { annotations, icons, _meta } = tool;
  const isQuery = options.trustAnnotations && annotations?.readOnlyHint === true;
  return completeSpec({
    name: nameOf(options.name, tool.name),
    type: isQuery ? "query" : "mutation",
    visibility: isExternal(tool.name) ? "external" : "internal",
    ...(titleOf(tool) !== undefined && { title: titleOf(tool) as string }),
    description: tool.description ?? titleOf(tool) ?? tool.name,
    inputSchema: tool.inputSchema as JsonSchema,
    outputSchema: isRecord(tool.outputSchema) ? tool.outputSchema : CONTENT,
    errors: [TOOL_ERROR],
    access: options.scopes.length > 0 ? { scopes: options.scopes } : {},
    annotations: { ...annotations, ...(icons && { icons }), ...(_meta && { _meta }) },
  });
}

/** The name of an operation; what a name cannot hold becomes an underscore. */
export function nameOf(namespace: string, tool: string): string {
  return `${namespace}/${tool
    .replaceAll(/[^A-Za-z0-9_./-]/g, "_")
    .replaceAll(/\/+/g, "/")
    .replaceAll(/^\/|\/$/g, "")}`;
}

function titleOf(tool: Tool): string | undefined {
  return tool.title ?? tool.annotations?.title;
}

function checkDefinition(tool: Tool): void {
  const refuse = (problem: string): never => {
    throw new ImportError("SCHEMA_PARSE", `the tool ${JSON.stringify(tool.name.slice(0, 100))} ${problem}`);
  };
  const problem = problemOfName(nameOf("x", tool.name));
  if (tool.name.length > MAX_NAME_LENGTH || problem)
    refuse(`has a name that cannot be used: it ${problem ?? "is too long"}`);
  if (!isRecord(tool.inputSchema)) refuse("has no schema for its input");
  if (isTooDeep(tool)) refuse(`is nested deeper than ${MAX_NESTING} levels`);
  if (measureJson(tool, MAX_DEFINITION_BYTES).over)
    refuse(`has a definition of more than ${MAX_DEFINITION_BYTES} bytes`);
}

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth > MAX_NESTING || Object.values(value).some((part) => isTooDeep(part, depth + 1));
}
