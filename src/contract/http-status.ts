import { type CallErrorJson, declaredError, type ErrorDefinition, type TableCode } from "../core/index.ts";

/** The HTTP status of each code of the table. */
export const HTTP_STATUS = {
  NOT_FOUND: 404,
  FORBIDDEN: 403,
  INVALID_INPUT: 422,
  INVALID_OPERATION_TYPE: 400,
  INTERNAL: 500,
  TIMEOUT: 504,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  UNAUTHORIZED_UPSTREAM: 502,
  RESULT_TOO_LARGE: 413,
  OUTPUT_INVALID: 502,
  SLOW_CONSUMER: 503,
  ABORTED: 499,
} as const satisfies Record<TableCode, number>;

/** The HTTP status of FORBIDDEN for a caller without an identity: it may come again with one. */
export const WITHOUT_IDENTITY = 401;

/** The HTTP status of an error: the table's, the declared one, 500 for the rest. */
export function httpStatusOf(
  { code, retryable }: Pick<CallErrorJson, "code" | "retryable">,
  caller: { readonly authenticated: boolean },
  declared: readonly ErrorDefinition[] = [],
): number {
  if (code === "FORBIDDEN" && !caller.authenticated) return WITHOUT_IDENTITY;
  if (Object.hasOwn(HTTP_STATUS, code)) return HTTP_STATUS[code as TableCode];
  const definition = declaredError(declared, code);
  // One entry has one status for many codes, and clients go by the status when they wait and try again.
  if (definition && definition.code !== code && retryable) return HTTP_STATUS.UNAVAILABLE;
  return definition?.httpStatus ?? 500;
}
