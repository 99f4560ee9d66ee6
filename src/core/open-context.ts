import type { Capabilities } from "./capabilities.ts";
import type { OperationContext, OperationEnv } from "./context.ts";
import { type Call, type Frame, openChild } from "./frame.ts";
import { normaliseName } from "./name.ts";
import { compilePatterns } from "./pattern.ts";
import { cannotRequestInput, notFound } from "./refusals.ts";
import type { Registration } from "./registration.ts";

/** What a handler needs beside the call itself. */
export interface ContextParts {
  readonly capabilities: Capabilities;
  /** The path again, for what the handler composes. */
  readonly runChild: (call: Call, frame: Frame) => Promise<unknown>;
}

/** What the handler of one call is told, and what it can do. */
export function openContext(registration: Registration, frame: Frame, parts: ContextParts): OperationContext {
  const { lifetime, principal } = frame;
  const cannotAsk = () => cannotRequestInput(registration.spec.name, frame.internal);
  return {
    requestId: frame.requestId,
    parentRequestId: frame.parentRequestId,
    principal,
    identity: frame.identity,
    connection: frame.connection,
    reach: frame.reach,
    forwardedFor: frame.forwardedFor,
    capabilities: parts.capabilities,
    metadata: frame.metadata ?? {},
    trace: frame.trace,
    hops: frame.hops ?? [],
    env: openEnv(registration, frame, parts),
    signal: lifetime.signal,
    deadline: lifetime.deadline,
    internal: frame.internal,
    resume: frame.resume,
    progress: (update) => frame.progress?.(update),
    requestInput: (request) => frame.requestInput?.(request) ?? Promise.reject(cannotAsk()),
  };
}

function openEnv(registration: Registration, frame: Frame, { runChild }: ContextParts): OperationEnv {
  const { scopedEnv } = registration;
  return {
    invoke(operation, input, compose = {}) {
      const child = frame.composition.run(registration.spec.name, frame.depth + 1, () => {
        const name = normaliseName(operation);
        if (!scopedEnv || !compilePatterns(scopedEnv)(name)) throw notFound(name, []);
        const call = { operation: name, input, select: compose.select };
        return runChild(call, openChild(frame, registration, compose));
      });
      // A handler need not wait for what it started; how that ended is in the audit.
      child.catch(() => {});
      return child;
    },
  };
}
