import { httpStatusOf } from "../../contract/index.ts";
import {
  type BatchEnvelope,
  CallError,
  type CallErrorJson,
  type Entrance,
  type Envelope,
  type ErrorDefinition,
  type Identity,
  isRecord,
} from "../../core/index.ts";

const JSON_HEADERS = { "content-type": "application/json" } as const;

/** Facts besides its code that an error's status depends on. */
export interface ErrorFrame {
  readonly identity: Identity;
  /** The codes that the called operation declares, as far as the caller may know of it. */
  readonly declared?: (() => readonly ErrorDefinition[]) | undefined;
}

/** An answer in JSON. */
export function toJson(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_HEADERS, ...headers } });
}

/** The answer to `call` and `batch`: the envelope as it is. */
export function toResponse(envelope: Envelope | BatchEnvelope, frame: ErrorFrame): Response {
  if ("error" in envelope) return toErrorResponse(envelope.error, envelope.requestId, frame);
  return toJson(envelope);
}

/** The answer to `search` and `schema`: the output itself is the shape of the contract. */
export function toServiceResponse(envelope: Envelope, frame: ErrorFrame): Response {
  if ("error" in envelope) return toErrorResponse(envelope.error, envelope.requestId, frame);
  return toJson({ ...(envelope.output as object), requestId: envelope.requestId });
}

/** A failure, with the status that its code has and the headers that go with it. */
export function toErrorResponse(error: CallErrorJson, requestId: string, frame: ErrorFrame): Response {
  const status = statusOf(error, frame);
  return toJson({ error, requestId }, status, { ...challengeOf(error, frame), ...retryAfterOf(error) });
}

/** The refusal of a request that never became a call; over the limits it is that refusal instead. */
export async function refuse(
  entrance: Pick<Entrance, "identity" | "refuse">,
  status: number,
  {
    message,
    headers = {},
  }: { readonly message: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const code = status === 405 ? "INVALID_OPERATION_TYPE" : "INVALID_INPUT";
  const refusal = await entrance.refuse(new CallError(code, message));
  if (refusal.error.code !== code) return toErrorResponse(refusal.error, refusal.requestId, entrance);
  return toJson(refusal, status, headers);
}

/** A declared status below 400 would make an error look like a success. */
function statusOf(error: CallErrorJson, { identity, declared }: ErrorFrame): number {
  const status = httpStatusOf(error, identity, declared?.());
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500;
}

/** RFC 6750, section 3: no error where no token was presented. */
function challengeOf({ code }: CallErrorJson, { identity }: ErrorFrame): Record<string, string> {
  if (code !== "FORBIDDEN") return {};
  const reason = identity.authenticated ? ', error="insufficient_scope"' : "";
  return { "www-authenticate": `Bearer realm="pinhole"${reason}` };
}

function retryAfterOf({ retryable, details }: CallErrorJson): Record<string, string> {
  if (!retryable || !isRecord(details)) return {};
  const { retryAfterMs } = details;
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0) || !Number.isFinite(retryAfterMs)) return {};
  return { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
}
