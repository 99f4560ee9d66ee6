import type { CallToolResult } from "@modelcontextprotocol/client";
import { CallError } from "../../core/index.ts";
import { TOOL_ERROR } from "./tools.ts";

const MAX_MESSAGE = 500;

/** The output of a call: data where the tool gives some, content blocks otherwise. Text is never parsed. */
export function outputOf(result: CallToolResult, what: string): unknown {
  if (result.isError) throw toolError(result, what);
  if (result.structuredContent !== undefined) return result.structuredContent;
  return { content: result.content ?? [] };
}

/** The tool's own words, for whoever called it. */
function toolError({ content, structuredContent }: CallToolResult, what: string): CallError {
  const text = (content ?? [])
    .map((block) => (block.type === "text" ? block.text : ""))
    .join(" ")
    .trim();
  const words = text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;
  return new CallError(TOOL_ERROR.code, `${what} failed${words ? `: ${words}` : "."}`, {
    details: { content, ...(structuredContent !== undefined && { structuredContent }) },
  });
}
