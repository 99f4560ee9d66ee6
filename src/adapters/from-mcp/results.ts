import type { CallToolResult } from "@modelcontextprotocol/client";
import { CallError, measureJson, type OperationContext } from "../../core/index.ts";
import { TOOL_ERROR } from "./tools.ts";

const MAX_MESSAGE = 500;
/** Details are not capped as outputs are, and an error that nobody can read helps nobody. */
const MAX_DETAILS_BYTES = 65_536;
const MAX_DETAILS_TEXT = 10_000;

/** The output of a call: data where the tool gives some, content blocks otherwise. Text is never parsed. */
export function outputOf(
  result: CallToolResult,
  { what, redact }: { readonly what: string; readonly redact: OperationContext["redact"] },
): unknown {
  // Its words are cut, and a secret that is cut in two is not recognised later.
  if (result.isError) throw toolError(redact(result), what);
  if (result.structuredContent !== undefined) return result.structuredContent;
  return { content: result.content ?? [] };
}

/** The tool's own words, for whoever called it. */
function toolError({ content, structuredContent }: CallToolResult, what: string): CallError {
  const text = (content ?? [])
    .map((block) => (block.type === "text" ? block.text : ""))
    .join(" ")
    .trim();
  const data = structuredContent === undefined ? { content } : { content, structuredContent };
  const isTooLarge = measureJson(data, MAX_DETAILS_BYTES).over;
  const start = [{ type: "text", text: shorten(text, MAX_DETAILS_TEXT) }];
  const words = shorten(text, MAX_MESSAGE);
  return new CallError(TOOL_ERROR.code, `${what} failed${words ? `: ${words}` : "."}`, {
    details: isTooLarge ? { content: start, truncated: true } : data,
  });
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
