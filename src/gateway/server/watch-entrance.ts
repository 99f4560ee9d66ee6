import { CallError, type Caller, type Entrance, type Trace, type WireCall } from "../../core/index.ts";

/** What the door adds to the calls of one request. */
export interface WatchOptions {
  /** The trace of the request, for a wire that found none in its own place. */
  readonly trace: Trace | undefined;
  /** Told of a call that the caller was refused; those of a batch fail for themselves. */
  readonly onForbidden: (operation: string, caller: Caller) => void;
}

/** An entrance through which the door sees what becomes of a request, whichever wire it is on. */
export function watchEntrance(entrance: Entrance, options: WatchOptions): Entrance {
  const { trace, onForbidden } = options;
  const traced = <Wire extends WireCall>(wire: Wire | undefined): Wire =>
    (wire?.trace || !trace ? (wire ?? {}) : { ...wire, trace }) as Wire;
  return {
    ...entrance,
    within: (reach) => watchEntrance(entrance.within(reach), options),
    async call(call, wire) {
      const envelope = await entrance.call(call, traced(wire));
      if ("error" in envelope && envelope.error.code === "FORBIDDEN")
        onForbidden(call.operation, entrance.caller);
      return envelope;
    },
    batch: (calls, wire) => entrance.batch(calls, traced(wire)),
    async subscribe(call, wire) {
      try {
        return await entrance.subscribe(call, traced(wire));
      } catch (error) {
        if (error instanceof CallError && error.code === "FORBIDDEN")
          onForbidden(call.operation, entrance.caller);
        throw error;
      }
    },
  };
}
