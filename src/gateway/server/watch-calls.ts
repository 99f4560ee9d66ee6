import { CallError, type Caller, type Middleware, type RootCall, type Trace } from "../../core/index.ts";

/**
 * Watches the calls of one request, whichever wire it came by. A call without a trace of its own gets the trace of the
 * request; `onForbidden` is told of a call that was refused, but not of calls in a batch, which fail for themselves.
 */
export function watchCalls({
  trace,
  onForbidden,
}: {
  readonly trace: Trace | undefined;
  readonly onForbidden: (operation: string, caller: Caller) => void;
}): Middleware {
  return (next, caller) => {
    async function watched<Answer>(
      operation: string,
      root: RootCall,
      run: (root: RootCall) => Promise<Answer>,
    ): Promise<Answer> {
      try {
        return await run({ ...root, trace: root.trace ?? trace });
      } catch (error) {
        const isForbidden = error instanceof CallError && error.code === "FORBIDDEN";
        if (isForbidden && root.parentRequestId === undefined) onForbidden(operation, caller);
        throw error;
      }
    }
    return {
      invoke: (call, root = {}) => watched(call.operation, root, (traced) => next.invoke(call, traced)),
      invokeStreaming: (call, root = {}) =>
        watched(call.operation, root, (traced) => next.invokeStreaming(call, traced)),
    };
  };
}
