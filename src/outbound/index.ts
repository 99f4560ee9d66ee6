export { type OutboundTls, screenAddress, screenLookup } from "./connector.ts";
export type { OutboundResponse } from "./incoming.ts";
export {
  createOutbound,
  isRedirect,
  leavingOrigin,
  type Outbound,
  type OutboundOptions,
} from "./outbound.ts";
export { OutboundError, type OutboundErrorKind, toCallError } from "./outbound-error.ts";
export type { BodyLike } from "./outgoing.ts";
export { decideRetry, type OutboundRequest, parseRetryAfter, type TryOutcome } from "./send.ts";
