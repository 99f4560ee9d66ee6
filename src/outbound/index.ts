export type { OutboundBody, OutboundResponse } from "./incoming.ts";
export {
  createOutbound,
  type Outbound,
  type OutboundInit,
  type OutboundOptions,
  type OutboundStats,
} from "./outbound.ts";
export { OutboundError, type OutboundErrorKind } from "./outbound-error.ts";
export type { BodyLike, HeadersLike } from "./outgoing.ts";
export { isRedirect, leavingOrigin } from "./redirect.ts";
export { parseRetryAfter } from "./retry.ts";
export { screenAddress, screenLookup } from "./screen-address.ts";
export type { Delay, OutboundRequest } from "./send.ts";
export { type ToCallErrorOptions, toCallError } from "./to-call-error.ts";
