import type { CallRequest } from "./envelope.ts";

/** What answers the calls of the other side. Both throw CallErrors; anything else is told as INTERNAL. */
export interface Service {
  /** One answer. The signal aborts when nobody waits for it any more. */
  call(request: CallRequest, signal: AbortSignal): Promise<unknown>;
  /** Items, asked for one at a time as the other side grants credit. `return` is called when nobody wants more. */
  subscribe(
    request: CallRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterator<unknown>> | AsyncIterator<unknown>;
}
