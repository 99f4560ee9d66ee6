import {
  CallError,
  type ContentBlock,
  isRecord,
  measureJson,
  type OperationContext,
  parseJson,
  problemOfJsonText,
} from "../../core/index.ts";
import { essenceOf, isBytes, mediaKindOf } from "../../formats/index.ts";
import { type OutboundResponse, parseRetryAfter } from "../../outbound/index.ts";

/** Facts about a call for its errors. */
export interface CallFacts {
  /** The name of the operation. */
  readonly what: string;
  /** Sending the request twice does no harm. */
  readonly repeatable: boolean;
  /** Redacts secrets before a text is cut. */
  readonly redact: OperationContext["redact"];
}

const MAX_WORDS = 300;
/** Details are not capped as outputs are, and a huge error helps no caller. */
const MAX_DETAILS_BYTES = 65_536;
const MAX_DETAILS_TEXT = 10_000;
/** Deeper outputs cannot be passed on. */
const MAX_NESTING = 500;
/** Statuses of a service that asks to wait. */
export const RETRYABLE: readonly number[] = [429, 503];

/** The output of a successful call: data, text, or content blocks for anything else. */
export async function outputOf(response: OutboundResponse, facts: CallFacts): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  const bytes = await response.body.bytes();
  if (bytes.length === 0) return null;
  if (type === "") return asText(bytes) ?? toContent(bytes, "application/octet-stream", facts);
  switch (mediaKindOf(type)) {
    case "json":
      return jsonOf(bytes, facts);
    case "text":
    case "form":
    case "events":
      return new TextDecoder(charsetOf(type)).decode(bytes);
    default:
      return textOfUnknown(bytes, type) ?? toContent(bytes, essenceOf(type), facts);
  }
}

/** The error of an unsuccessful response, with its body in the details. */
export async function errorOf(response: OutboundResponse, facts: CallFacts): Promise<CallError> {
  const { status, headers } = response;
  const body = facts.redact(await bodyOf(response));
  const retryAfterMs = parseRetryAfter(headers.get("retry-after") ?? undefined, Date.now());
  const words = wordsOf(body);
  const said = words === "" ? "." : `: ${words}${/[.!?]$/.test(words) ? "" : "."}`;
  const whole = { status, body, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const asksToWait = RETRYABLE.includes(status) && retryAfterMs !== undefined;
  return new CallError(
    asksToWait ? "RATE_LIMITED" : `HTTP_${status}`,
    `${facts.what}: the service answered ${status}${said} ${adviceOn(status, retryAfterMs, facts)}`,
    {
      retryable: RETRYABLE.includes(status),
      details: measureJson(whole, MAX_DETAILS_BYTES).over ? { ...whole, ...shortened(body) } : whole,
    },
  );
}

async function bodyOf(response: OutboundResponse): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  const bytes = await response.body.bytes().catch(() => new Uint8Array());
  if (bytes.length === 0) return null;
  const text = asText(bytes);
  if (text === undefined) return null;
  return mediaKindOf(type) === "json" ? parseOrKeep(text) : text;
}

function shortened(body: unknown): object {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { body: text.slice(0, MAX_DETAILS_TEXT), truncated: true };
}

/** The message of the service, if it is in one of the usual places. */
function wordsOf(body: unknown): string {
  if (typeof body === "string") return /[<{]/.test(body) ? "" : cut(body.trim());
  if (!isRecord(body)) return "";
  const { error, errors, message, detail, title, error_description: description } = body;
  const inner = isRecord(error) ? error.message : error;
  const first = Array.isArray(errors) ? (isRecord(errors[0]) ? errors[0].message : errors[0]) : undefined;
  const found = [message, inner, detail, description, title, first].find((each) => typeof each === "string");
  return cut(String(found ?? "").trim());
}

function cut(text: string): string {
  return text.length <= MAX_WORDS ? text : `${text.slice(0, MAX_WORDS - 1)}…`;
}

function adviceOn(status: number, retryAfterMs: number | undefined, { repeatable }: CallFacts): string {
  if (RETRYABLE.includes(status)) {
    const wait = retryAfterMs === undefined ? "a while" : `${Math.ceil(retryAfterMs / 1_000)} s`;
    return `Wait ${wait} before the next try.`;
  }
  if (status === 401 || status === 403) {
    return "The credential that this gateway has for the service does not allow this; its operator can change that.";
  }
  if (status === 404 || status === 410) return "Check the ids in the input.";
  if (status === 304)
    return "Nothing has changed since the caller's version: leave out the condition to get it.";
  if (status < 400) return "The answer is at another address, which this gateway does not follow.";
  if (status < 500) return "Correct the input by what details.body says.";
  return repeatable ? "Try again later." : "The call may have taken effect: check before you repeat it.";
}

function jsonOf(bytes: Uint8Array, { what }: CallFacts): unknown {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") return null;
  const problem = problemOfJsonText(text, MAX_NESTING);
  if (problem) {
    throw new CallError(
      "OUTPUT_INVALID",
      `${what}: the answer of the service ${problem.says}, so it was not read. The call has run: ask for less in the input, or tell the operator of this gateway.`,
    );
  }
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw new CallError(
    "OUTPUT_INVALID",
    `${what}: the service announces JSON, and its answer is not JSON. The call may have run; tell the operator of this gateway.`,
  );
}

function parseOrKeep(text: string): unknown {
  return problemOfJsonText(text, MAX_NESTING) ? text : (parseJson(text) ?? text);
}

function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A charset means text; but some servers name one for everything, so the bytes must be valid too. */
function textOfUnknown(bytes: Uint8Array, type: string): string | undefined {
  if (!/;\s*charset=/i.test(type) || isBytes(type) || bytes.includes(0)) return undefined;
  return asText(bytes);
}

function charsetOf(type: string): string {
  const charset = /charset="?([\w.:-]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return "utf-8";
  }
}

/** A resource needs a URI; the one of the upstream stays private, as in errors. */
function toContent(bytes: Uint8Array, mimeType: string, { what }: CallFacts): { content: ContentBlock[] } {
  const data = Buffer.from(bytes).toString("base64");
  const [family = ""] = mimeType.split("/", 1);
  if (family === "image" || family === "audio") return { content: [{ type: family, data, mimeType }] };
  return { content: [{ type: "resource", resource: { uri: `pinhole://${what}`, mimeType, blob: data } }] };
}
