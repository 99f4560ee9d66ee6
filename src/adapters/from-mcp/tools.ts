import type { Tool } from "@modelcontextprotocol/client";
import {
  compilePatterns,
  completeSpec,
  ImportError,
  isRecord,
  type JsonSchema,
  type OperationSpec,
  problemOfName,
} from "../../core/index.ts";
import type { McpSourceOptions } from "./options.ts";
import { UNUSABLE } from "./repair.ts";

/** What a tool answers with that declares nothing: content blocks, or data of any shape, be it no object. */
const CONTENT: JsonSchema = Object.freeze({ title: "content", properties: {} });

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

/** What decides what a tool becomes. */
export type SpecOptions = Pick<McpSourceOptions, "name" | "scopes" | "trustAnnotations">;

/** What a tool is as an operation. Throws an ImportError for a definition that cannot be used. */
export function specOfTool(tool: Tool, options: SpecOptions, isExternal: IsExternal): OperationSpec {
  const { annotations, icons, _meta } = tool;
  const isQuery = options.trustAnnotations && annotations?.readOnlyHint === true;
  const title = tool.title ?? annotations?.title;
  return completeSpec({
    name: checkedName(tool, options.name),
    type: isQuery ? "query" : "mutation",
    visibility: isExternal(tool.name) ? "external" : "internal",
    ...(title !== undefined && { title }),
    description: tool.description ?? title ?? tool.name,
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

function checkedName(tool: Tool, namespace: string): string {
  const name = nameOf(namespace, tool.name);
  const badName = problemOfName(name);
  const problem = tool._meta?.[UNUSABLE] ?? (badName && `has a name that cannot be used: it ${badName}`);
  if (problem === undefined) return name;
  throw new ImportError("SCHEMA_PARSE", `the tool ${JSON.stringify(tool.name.slice(0, 100))} ${problem}`);
}
