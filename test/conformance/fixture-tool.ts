import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from "@modelcontextprotocol/server";

/** One tool of the fixture: how it is listed and what it does. */
export interface FixtureTool {
  readonly listed: Tool;
  readonly run: RunTool;
}

/** Answers a call. */
export type RunTool = (
  args: Readonly<Record<string, unknown>>,
  context: ServerContext,
) => Answer | Promise<Answer>;

type Answer = CallToolResult | InputRequiredResult;

/** The smallest PNG: one pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A WAV file without a sample. */
export const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** Makes a tool; without properties it takes nothing. */
export function fixtureTool(
  name: string,
  run: RunTool,
  inputSchema: Tool["inputSchema"] = { type: "object", additionalProperties: false },
): FixtureTool {
  return { listed: { name, description: `What the suite calls ${name}.`, inputSchema }, run };
}

/** A result of one text. */
export function saying(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
