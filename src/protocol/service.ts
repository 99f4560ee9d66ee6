import type { CallRequest } from "./envelope.ts";

/** Sets the id of the call in this side's log; it is sent with the answer. */
export type NameCall = (requestId: string) => void;

/** Serves the calls of the other side. Both methods throw CallErrors; anything else becomes INTERNAL. */
export interface Service {
  /** One answer. The signal aborts when the caller no longer waits. */
  call(request: CallRequest, signal: AbortSignal, name: NameCall): Promise<unknown>;
  /** Items, pulled one at a time as the other side grants credit. `return` is called when the consumer stops. */
  subscribe(
    request: CallRequest,
    signal: AbortSignal,
    name: NameCall,
  ): Promise<AsyncIterator<unknown>> | AsyncIterator<unknown>;
}
