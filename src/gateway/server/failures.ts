import { type CallError, isRecord } from "../../core/index.ts";
import { type Challenge, challengeText } from "./challenge.ts";

/** A failure of the door itself, in the shape that every failure has. */
export function failure(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message, retryable: false } }, { status });
}

/** There is nothing; the same words wherever that is. */
export function notFound(): Response {
  return failure(404, "NOT_FOUND", "There is nothing at this address.");
}

/** What only shows something was asked to do something. */
export function onlyToGet(what: string): Response {
  const response = failure(405, "INVALID_OPERATION_TYPE", `${what} answers to GET.`);
  response.headers.set("allow", "GET, HEAD");
  return response;
}

/** A caller that another token would let in. */
export function unauthorized(status: 401 | 403, message: string, challenge: Challenge): Response {
  const response = failure(status, "FORBIDDEN", message);
  response.headers.set("www-authenticate", challengeText(challenge));
  return response;
}

/** A token that cannot be checked now: nothing is known about it yet, so nothing is said about it. */
export function unavailable(error: CallError): Response {
  const { details } = error;
  const wait = isRecord(details) && typeof details.retryAfterMs === "number" ? details.retryAfterMs : 1_000;
  const headers = { "retry-after": String(Math.ceil(wait / 1_000)) };
  return Response.json({ error: error.toJSON() }, { status: 503, headers });
}
