import { createHash } from "node:crypto";
import type { Client, Tool } from "@modelcontextprotocol/client";
import {
  CONTENT_OUTPUT,
  completeSpec,
  ImportError,
  isRecord,
  type JsonSchema,
  measureJson,
  type OperationSpec,
  problemOfName,
} from "../../core/index.ts";
import type { McpSourceOptions } from "./options.ts";
import { UNUSABLE } from "./repair.ts";

const PAGE_TIMEOUT_MS = 30_000;
const MAX_PAGES = 2_000;
const MAX_TOOLS = 100_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface ToolList {
  readonly tools: readonly Tool[];
  /** The reason why a list without an end was cut. */
  readonly cut?: ImportError;
}

/** Reads all pages of a list, and a good part of a list without an end. The SDK's own function fails beyond 64 pages. */
export async function listTools(client: Client): Promise<ToolList> {
  const tools: Tool[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  for (;;) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: "tools/list", params }, { timeout: PAGE_TIMEOUT_MS });
    for (const tool of page.tools) {
      bytes += measureJson(tool, MAX_BYTES).bytes;
      if (tools.length >= MAX_TOOLS || bytes > MAX_BYTES) return { tools, cut: cutAfter(tools) };
      tools.push(tool);
    }
    cursor = page.nextCursor;
    // Some servers start over at the end of the list, or end it with an empty cursor.
    if (!cursor || cursors.has(cursor)) return { tools };
    cursors.add(cursor);
    if (cursors.size >= MAX_PAGES) return { tools, cut: cutAfter(tools) };
  }
}

function cutAfter(tools: readonly Tool[]): ImportError {
  const last = JSON.stringify(tools.at(-1)?.name ?? "");
  return new ImportError(
    "DISCOVERY_FAILED",
    `the list of tools does not end within ${MAX_PAGES} pages, ${MAX_TOOLS} tools and ${MAX_BYTES} bytes; what follows ${last} is left out`,
  );
}

/** The error of a tool that reports a failure. */
export const TOOL_ERROR = Object.freeze({
  code: "MCP_TOOL_ERROR",
  description: "The tool reports that it failed; its own words are in the message and in details.content.",
  httpStatus: 502,
});

const OTHER_LETTERS = /(?:(?![A-Za-z0-9])[\p{L}\p{N}])+/gu;
/** Long enough to tell the tools of one server apart. */
const DIGEST_LENGTH = 6;

/** A tool as an operation. Throws an ImportError for an unusable definition. */
export function specOfTool(
  tool: Tool,
  options: Pick<McpSourceOptions, "name" | "trustAnnotations">,
): OperationSpec {
  const { annotations, icons, _meta } = tool;
  const isQuery = options.trustAnnotations && annotations?.readOnlyHint === true;
  const title = tool.title ?? annotations?.title ?? (losesLetters(tool.name) ? tool.name : undefined);
  return completeSpec({
    name: checkedName(tool, options.name),
    type: isQuery ? "query" : "mutation",
    ...(title !== undefined && { title }),
    description: tool.description ?? title ?? tool.name,
    inputSchema: tool.inputSchema as JsonSchema,
    outputSchema: isRecord(tool.outputSchema) ? tool.outputSchema : CONTENT_OUTPUT,
    errors: [TOOL_ERROR],
    annotations: { ...annotations, ...(icons && { icons }), ...(_meta && { _meta }) },
  });
}

/**
 * The name of an operation; characters that a name cannot have become underscores. Names in other scripts would all become the
 * same, so they end in a digest.
 */
export function nameOf(namespace: string, tool: string): string {
  const kept = withoutMarks(tool)
    .replaceAll(OTHER_LETTERS, "_")
    .replaceAll(/[^A-Za-z0-9_./-]/g, "_")
    .replaceAll(/\/+/g, "/")
    .replaceAll(/^\/|\/$/g, "");
  if (!losesLetters(tool)) return `${namespace}/${kept}`;
  const digest = createHash("sha256").update(tool).digest("hex").slice(0, DIGEST_LENGTH);
  return `${namespace}/${kept.replace(/_+$/, "") || "tool"}_${digest}`;
}

function losesLetters(name: string): boolean {
  return withoutMarks(name).search(OTHER_LETTERS) !== -1;
}

/** `cafe` for `café`. */
function withoutMarks(name: string): string {
  return name.normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

function checkedName(tool: Tool, namespace: string): string {
  const unusable = tool._meta?.[UNUSABLE];
  const name = unusable === undefined ? nameOf(namespace, tool.name) : "";
  const badName = problemOfName(name);
  if (unusable === undefined && badName === undefined) return name;
  const problem = unusable ?? `has a name that cannot be used: it ${badName}`;
  throw new ImportError("SCHEMA_PARSE", `the tool ${JSON.stringify(tool.name.slice(0, 100))} ${problem}`);
}
