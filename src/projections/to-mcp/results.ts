import type { CallToolResult } from "@modelcontextprotocol/server";
import {
  type BatchEnvelope,
  type CallError,
  type CallErrorJson,
  type ContentBlock,
  type Envelope,
  isContentOutput,
  isRecord,
} from "../../core/index.ts";

/** Key of the request id in the metadata of a result. */
export const REQUEST_ID = "pinhole/requestId";

type Content = CallToolResult["content"];

/** The result of `call`: content as content, anything else as data and as the same JSON in text. */
export function toCallResult(envelope: Envelope): CallToolResult {
  if ("error" in envelope) return toErrorResult(envelope.error, envelope.requestId);
  const { output, requestId, note } = envelope;
  const noted = note === undefined ? [] : [{ type: "text", text: note }];
  if (!isContentOutput(output))
    return toDataResult({ output, ...(note !== undefined && { note }) }, requestId);
  const content = [...output.content, ...noted] as unknown as Content;
  return { content, _meta: { [REQUEST_ID]: requestId } };
}

/** The result of an operation that is a tool of its own: as its source would answer. */
export function toToolResult(envelope: Envelope): CallToolResult {
  if ("error" in envelope) return toErrorResult(envelope.error, envelope.requestId);
  const { output, requestId } = envelope;
  return isContentOutput(output) || !isRecord(output)
    ? toCallResult(envelope)
    : toDataResult(output, requestId);
}

/** The result of `search` and `schema`: the output itself is the shape of the contract. */
export function toServiceResult(envelope: Envelope): CallToolResult {
  if ("error" in envelope) return toErrorResult(envelope.error, envelope.requestId);
  return toDataResult(envelope.output, envelope.requestId);
}

/** The result of `batch`: all of it as data; images and other binary content follow as content. */
export function toBatchResult(envelope: BatchEnvelope): CallToolResult {
  if ("error" in envelope) return toErrorResult(envelope.error, envelope.requestId);
  const lifted: ContentBlock[] = [];
  const results = envelope.results.map((result) =>
    "error" in result ? result : { ...result, output: liftBinary(result.output, lifted) },
  );
  const result = toDataResult({ results }, envelope.requestId);
  return { ...result, content: [...result.content, ...(lifted as unknown as Content)] };
}

/** A failure as a result that the model can read and act on. */
export function toErrorResult(error: CallErrorJson, requestId: string): CallToolResult {
  return { ...toDataResult({ error }, requestId), isError: true };
}

/** A request that is not a call and is refused by the limits of its caller. */
export function tooManyRequests(error: CallError, body: unknown): Response {
  const { code, message, details } = error;
  const { retryAfterMs } = details as { readonly retryAfterMs: number };
  const id = isRecord(body) ? (body.id ?? null) : null;
  // Of the codes that JSON-RPC 2.0, section 5.1, leaves to servers.
  const refused = { code: -32000, message, data: { code, details } };
  const headers = { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  return Response.json({ jsonrpc: "2.0", id, error: refused }, { status: 429, headers });
}

function toDataResult(data: unknown, requestId: string): CallToolResult {
  return {
    structuredContent: data as Record<string, unknown>,
    content: [{ type: "text", text: JSON.stringify(data) }],
    _meta: { [REQUEST_ID]: requestId },
  };
}

/** Base64 in JSON costs a model thousands of tokens and shows it nothing: the block follows the JSON. */
function liftBinary(output: unknown, lifted: ContentBlock[]): unknown {
  if (!isContentOutput(output)) return output;
  const content = output.content.map((block) => {
    if (block.type !== "image" && block.type !== "audio") return block;
    lifted.push(block);
    return { type: block.type, mimeType: block.mimeType, block: lifted.length };
  });
  return { content };
}
