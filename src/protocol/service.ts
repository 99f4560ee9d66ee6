import type { CallRequest } from "./envelope.ts";

/** Says under which id this side's log has a call; the other side is told with the answer. */
export type NameCall = (requestId: string) => void;

/** What answers the calls of the other side. Both throw CallErrors; anything else is told as INTERNAL. */
export interface Service {
  /** One answer. The signal aborts when nobody waits for it any more. */
  call(request: CallRequest, signal: AbortSignal, name: NameCall): Promise<unknown>;
  /** Items, asked for one at a time as the other side grants credit. `return` is called when nobody wants more. */
  subscribe(
    request: CallRequest,
    signal: AbortSignal,
    name: NameCall,
  ): Promise<AsyncIterator<unknown>> | AsyncIterator<unknown>;
}
