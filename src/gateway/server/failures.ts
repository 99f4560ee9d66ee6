import { type CallError, isRecord } from "../../core/index.ts";
import { type BearerChallenge, challengeText } from "./challenge.ts";

/** A failure before any call, in the shape of every failure. */
export function failure(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message, retryable: false } }, { status });
}

/** The same words for every address that does not exist. */
export function notFound(): Response {
  return failure(404, "NOT_FOUND", "There is nothing at this address.");
}

/** The refusal of other methods than GET. */
export function onlyToGet(what: string): Response {
  const response = failure(405, "INVALID_OPERATION_TYPE", `${what} answers to GET.`);
  response.headers.set("allow", "GET, HEAD");
  return response;
}

/** The refusal of a caller whom another token would help. */
export function unauthorized(status: 401 | 403, message: string, challenge: BearerChallenge): Response {
  const response = failure(status, "FORBIDDEN", message);
  response.headers.set("www-authenticate", challengeText(challenge));
  return response;
}

/** The answer to a token that cannot be checked now; it may be a good one. */
export function unavailable(error: CallError): Response {
  const { details } = error;
  const wait = isRecord(details) && typeof details.retryAfterMs === "number" ? details.retryAfterMs : 1_000;
  const headers = { "retry-after": String(Math.ceil(wait / 1_000)) };
  return Response.json({ error: error.toJSON() }, { status: 503, headers });
}
