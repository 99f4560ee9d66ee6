import {
  CallError,
  type CallErrorJson,
  isRecord,
  MAX_NAME_LENGTH,
  type Progress,
  problemOfJsonText,
  type UnknownRecord,
} from "../core/index.ts";
import type { ConnectionLimits } from "./limits.ts";

/** Payload of call.requested. */
export interface CallRequest {
  /** `/namespace/name`; the slash in front may be missing. */
  readonly operationId: string;
  readonly input?: unknown;
  /** True: a stream of items is expected, paced by credit. Otherwise one answer is. */
  readonly stream?: boolean | undefined;
  /** True: `call.progress` may come before the answer. */
  readonly progress?: boolean | undefined;
  /** A JMESPath expression on the output. */
  readonly select?: string | undefined;
  /** Token of the caller, if it is not the identity of the connection. */
  readonly authToken?: string | undefined;
  /** The principal of the call: information for logs, never authority. */
  readonly forwardedFor?: string | undefined;
  /** Remaining time of the call when it is sent. */
  readonly deadlineMs?: number | undefined;
  /** The ids of the nodes that have handed the call on, the latest last. */
  readonly hops?: readonly string[] | undefined;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** Metadata of an answer. */
export interface Named {
  /** Id of the call in the log of the answering node. */
  readonly requestId?: string | undefined;
}

/** Everything that goes over a connection. */
export type EventEnvelope =
  | { readonly type: "call.requested"; readonly id: string; readonly payload: CallRequest }
  | {
      readonly type: "call.responded";
      readonly id: string;
      readonly payload: Named & { readonly output: unknown; readonly note?: string | undefined };
    }
  | { readonly type: "call.progress"; readonly id: string; readonly payload: Progress }
  | { readonly type: "call.completed"; readonly id: string; readonly payload: Named }
  | { readonly type: "call.aborted"; readonly id: string; readonly payload: UnknownRecord }
  | { readonly type: "call.error"; readonly id: string; readonly payload: Named & CallErrorJson }
  | { readonly type: "call.credit"; readonly id: string; readonly payload: { readonly n: number } }
  | {
      readonly type: "connection.closed";
      readonly id: string;
      readonly payload: { readonly reason: string };
    };

/** Limits of envelopes. */
export type SendLimits = Pick<ConnectionLimits, "maxEnvelopeBytes" | "maxNesting">;

const MAX_ID_LENGTH = 128;
const REQUEST_ID = /^[\w.:-]{1,128}$/;
const MAX_TOKEN_LENGTH = 16_384;
/** Maximum length of texts for people. */
export const MAX_TEXT_LENGTH = 4_096;
const MAX_LISTED_HOPS = 64;
const MAX_CREDIT = 2_147_483_647;

/** Start of an envelope with the id before the payload, as all known senders write it. */
const HEAD = new RegExp(
  `^\\s*\\{\\s*"type"\\s*:\\s*"(call\\.requested|call\\.responded)"\\s*,\\s*"id"\\s*:\\s*"([^"\\\\]{1,${MAX_ID_LENGTH}})"`,
);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Parses an envelope of the other side; throws ProtocolViolation if it is invalid. */
export function readEnvelope(
  bytes: Uint8Array,
  limits: Pick<ConnectionLimits, "maxEnvelopeBytes" | "maxNesting"> & Partial<ConnectionLimits>,
): EventEnvelope {
  const size = bytes.byteLength;
  if (size === 0) throw new ProtocolViolation("An envelope has no bytes.");
  const most = Math.min(limits.maxEnvelopeBytes, limits.maxReceivedBytes ?? limits.maxEnvelopeBytes);
  if (size > most) throw new ProtocolViolation(`An envelope has ${size} bytes, and ${most} is the most.`);
  return checkEnvelope(parseJson(bytes, limits.maxNesting));
}

function parseJson(bytes: Uint8Array, maxNesting: number): unknown {
  const text = toText(bytes);
  const problem = problemOfJsonText(text, maxNesting);
  if (problem) {
    const message = `An envelope ${problem.says}. ${problem.advice}`;
    const [, type, id] = (problem.kind !== "depth" && HEAD.exec(text)) || [];
    if (id === undefined) throw new ProtocolViolation(message);
    throw new CostlyEnvelope(message, { type: type as CostlyEnvelope["type"], id });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function toText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notJson();
  }
}

function notJson(): ProtocolViolation {
  return new ProtocolViolation("An envelope is not JSON in UTF-8.");
}

function checkEnvelope(value: unknown): EventEnvelope {
  if (!isRecord(value)) throw new ProtocolViolation("An envelope is not an object.");
  const { type, id, payload } = value;
  if (typeof type !== "string") throw new ProtocolViolation("The type of an envelope is not a string.");
  const check = Object.hasOwn(PAYLOADS, type) ? PAYLOADS[type as EventEnvelope["type"]] : undefined;
  if (!check) throw new ProtocolViolation("The type of an envelope is unknown to this protocol.");
  // The end of a connection is about no call.
  if (typeof id !== "string" || id.length > MAX_ID_LENGTH || (id === "" && type !== "connection.closed")) {
    throw new ProtocolViolation(`The id of an envelope is not a string of 1 to ${MAX_ID_LENGTH} characters.`);
  }
  if (!isRecord(payload)) throw new ProtocolViolation(`The payload of a ${type} is not an object.`);
  const problem = check(payload);
  if (problem !== undefined) throw new ProtocolViolation(`A ${type} ${problem}.`);
  const isRequest = type === "call.requested";
  return { type, id, payload: isRequest ? withoutNulls(payload) : wellNamed(payload) } as EventEnvelope;
}

/** The problem of a payload, as the rest of a sentence. */
const PAYLOADS: Readonly<Record<EventEnvelope["type"], (payload: UnknownRecord) => string | undefined>> = {
  "call.requested": problemOfRequest,
  "call.responded": (payload) => (Object.hasOwn(payload, "output") ? undefined : "has no output"),
  "call.progress": ({ progress, total = 0, message = "" }) =>
    Number.isFinite(progress) && Number.isFinite(total) && isText(message, MAX_TEXT_LENGTH)
      ? undefined
      : "is not {progress, total?, message?}",
  "call.completed": () => undefined,
  "call.aborted": () => undefined,
  "call.error": ({ code, message, retryable }) =>
    isText(code, MAX_ID_LENGTH) &&
    code !== "" &&
    typeof message === "string" &&
    typeof retryable === "boolean"
      ? undefined
      : "is not {code, message, retryable, details?}",
  "call.credit": ({ n }) =>
    Number.isInteger(n) && (n as number) >= 1 && (n as number) <= MAX_CREDIT
      ? undefined
      : `has an n that is not a whole number from 1 to ${MAX_CREDIT}`,
  "connection.closed": ({ reason }) => (isText(reason, MAX_TEXT_LENGTH) ? undefined : "has no reason"),
};

type Fits = (value: unknown) => boolean;

const OPTIONAL: Readonly<Record<string, Fits>> = {
  stream: (value) => typeof value === "boolean",
  progress: (value) => typeof value === "boolean",
  select: (value) => typeof value === "string",
  authToken: (value) => isText(value, MAX_TOKEN_LENGTH),
  forwardedFor: (value) => isText(value, MAX_TEXT_LENGTH),
  deadlineMs: (value) => Number.isFinite(value) && (value as number) >= 0,
  hops: (value) =>
    Array.isArray(value) &&
    value.length <= MAX_LISTED_HOPS &&
    value.every((hop) => isText(hop, MAX_ID_LENGTH)),
  traceparent: (value) => isText(value, MAX_TEXT_LENGTH),
  tracestate: (value) => isText(value, MAX_TEXT_LENGTH),
};

/** The problem of a request's payload, as the rest of a sentence. */
export function problemOfRequest(request: object): string | undefined {
  const payload = request as UnknownRecord;
  // The longest name, and the slash in front of it.
  if (!isText(payload.operationId, MAX_NAME_LENGTH + 1) || payload.operationId === "") {
    return `has no operationId of 1 to ${MAX_NAME_LENGTH + 1} characters`;
  }
  for (const key in payload) {
    const value = payload[key];
    if (value === null || value === undefined || !Object.hasOwn(OPTIONAL, key)) continue;
    if (!OPTIONAL[key]?.(value)) return `has a wrong ${key}`;
  }
  return undefined;
}

/** A request id that cannot be logged is dropped; the call does not fail. */
function wellNamed(payload: UnknownRecord): UnknownRecord {
  const { requestId } = payload;
  return requestId === undefined || (typeof requestId === "string" && REQUEST_ID.test(requestId))
    ? payload
    : { ...payload, requestId: undefined };
}

/** Many languages write an absent field as null. Inputs are left to the operation. */
function withoutNulls(payload: UnknownRecord): UnknownRecord {
  for (const key in payload) {
    if (payload[key] !== null || key === "input") continue;
    const kept = Object.entries(payload).filter(([name, value]) => name === "input" || value !== null);
    return Object.fromEntries(kept);
  }
  return payload;
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value.length <= maxLength;
}

/** The text of an envelope. Throws if the payload cannot be JSON. */
export function writeEnvelope<Type extends EventEnvelope["type"]>(
  type: Type,
  id: string,
  payload: Extract<EventEnvelope, { type: Type }>["payload"],
): string {
  return `{"type":"${type}","id":${JSON.stringify(id)},"payload":${JSON.stringify(payload)}}`;
}

/** Reason not to send an envelope, as the rest of a sentence: the other side would close the connection. */
export function problemOfText(text: string, limits: SendLimits): string | undefined {
  const { maxEnvelopeBytes, maxNesting } = limits;
  if (isLargerThan(text, maxEnvelopeBytes)) return `an envelope has at most ${maxEnvelopeBytes} bytes`;
  const problem = problemOfJsonText(text, maxNesting);
  return problem && `its envelope ${problem.says}`;
}

/** True if the text is larger than that in UTF-8. */
export function isLargerThan(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || new TextEncoder().encode(text).byteLength > maxBytes;
}

/** The error that the other side sent. */
export function toCallError({ code, message, retryable, details }: CallErrorJson): CallError {
  return new CallError(code, message, { retryable, details });
}

/** Thrown for input that violates the protocol: the connection must close. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

/** The other side sent an envelope of one call that takes too long to read: only that call cannot go on. */
export class CostlyEnvelope extends ProtocolViolation {
  readonly type: "call.requested" | "call.responded";
  readonly id: string;

  constructor(message: string, { type, id }: Pick<CostlyEnvelope, "type" | "id">) {
    super(message);
    this.type = type;
    this.id = id;
  }
}
