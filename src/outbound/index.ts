export {
  createOutbound,
  type Outbound,
  type OutboundInit,
  type OutboundOptions,
  type OutboundStats,
} from "./outbound.ts";
export { OutboundError, type OutboundErrorKind } from "./outbound-error.ts";
export { isRedirect, leavingOrigin } from "./redirect.ts";
export type { BodyLike } from "./request-body.ts";
export type { HeadersLike } from "./request-headers.ts";
export type { OutboundBody, OutboundResponse } from "./response.ts";
export { parseRetryAfter } from "./retry-after.ts";
export { screenAddress } from "./screen-address.ts";
export { screenLookup } from "./screen-lookup.ts";
export type { Delay, OutboundRequest } from "./send.ts";
export { type ToCallErrorOptions, toCallError } from "./to-call-error.ts";
