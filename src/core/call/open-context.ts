import { cannotRequestInput, compilePatterns, notFound } from "../access/index.ts";
import type {
  Capabilities,
  InputRequest,
  Log,
  OperationContext,
  OperationEnv,
  OperationLog,
  OutboundFetch,
  Progress,
  Redactor,
  Registration,
} from "../model/index.ts";
import { CallError, normaliseName, runsDry } from "../model/index.ts";
import { type Call, type Frame, openChild } from "./frame.ts";
import type { Lifetime } from "./lifetime.ts";

/** What a handler needs beside the call itself. */
interface ContextParts {
  readonly capabilities: Capabilities;
  readonly select: string | undefined;
  /** For registrations that bring none of their own. */
  readonly fetch: OutboundFetch | undefined;
  readonly log: Log;
  /** Takes the secrets of the call, as they are at the moment, out of what the handler lets others know. */
  readonly redactor: () => Redactor;
  /** The path again, for what the handler composes. */
  readonly runChild: (call: Call, frame: Frame) => Promise<unknown>;
  readonly handedOn: OperationContext["handedOn"];
}

/** What the handler of one call is told, and what it can do. */
export function openContext(registration: Registration, frame: Frame, parts: ContextParts): OperationContext {
  const { lifetime, principal } = frame;
  const redact = <Value>(value: Value): Value => parts.redactor().value(value);
  const cannotAsk = () => cannotRequestInput(registration.spec.name, frame.internal);
  return Object.assign(new DeadlineByClock(lifetime), {
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
    fetch: openFetch(registration.fetch ?? parts.fetch, frame),
    log: openLog(registration, frame, parts),
    signal: lifetime.signal,
    internal: frame.internal,
    select: registration.selects ? parts.select : undefined,
    dryRun: runsDry(registration.spec, frame),
    resume: frame.resume,
    redact,
    handedOn: parts.handedOn,
    progress: (update: Progress) => frame.progress?.(redact(update)),
    requestInput: (request: InputRequest) =>
      frame.requestInput?.(redact(request)) ?? Promise.reject(cannotAsk()),
  });
}

/** Its accessor is on a prototype: in an object literal it would give each context a shape of its own, at thrice the cost of a call. */
class DeadlineByClock {
  readonly #lifetime: Lifetime;

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime;
  }

  get deadline(): number | undefined {
    return this.#lifetime.deadlineByClock;
  }
}

function openEnv(registration: Registration, frame: Frame, { runChild, log }: ContextParts): OperationEnv {
  const { scopedEnv } = registration;
  return {
    invoke(operation, input, compose = {}) {
      const child = frame.composition.run(registration.spec.name, frame.depth + 1, () => {
        const name = normaliseName(operation);
        if (!scopedEnv || !compilePatterns(scopedEnv)(name)) throw notFound(name, []);
        const call = { operation: name, input, select: compose.select };
        const below = openChild(frame, registration, compose);
        const work = runChild(call, below);
        if (compose.onAbort === "continue")
          noteRunningOn(work, { operation: name, above: frame, below, log });
        return work;
      });
      // A handler need not wait for what it started; how that ended is in the audit.
      child.catch(() => {});
      return child;
    },
  };
}

/** What has outlived its caller is told to nobody but the log and the audit. */
function noteRunningOn(
  work: Promise<unknown>,
  { operation, above, below, log }: { operation: string; above: Frame; below: Frame; log: Log },
): void {
  const note = (outcome: string) => {
    const { requestId, parentRequestId } = below;
    if (above.lifetime.isOverBy)
      log.info?.("A composed call ran on after its caller was gone", {
        operation,
        requestId,
        parentRequestId,
        outcome,
      });
  };
  work.then(
    () => note("ok"),
    (error: unknown) => note(error instanceof CallError ? error.code : "INTERNAL"),
  );
}

function openFetch(fetch: OutboundFetch | undefined, { lifetime, trace }: Frame): OperationContext["fetch"] {
  return async (url, init = {}) => {
    if (!fetch)
      throw new Error(
        "context.fetch has no outbound client here: give createDispatch or createRuntime one as its option fetch.",
      );
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(trace ?? {})) if (!headers.has(name)) headers.set(name, value);
    const signal = init.signal ? AbortSignal.any([lifetime.signal, init.signal]) : lifetime.signal;
    return fetch(url, { ...init, headers, signal });
  };
}

function openLog(registration: Registration, frame: Frame, { log }: ContextParts): OperationLog {
  const operation = registration.spec.name;
  const { requestId, snapshot, connection } = frame;
  const at =
    (level: keyof OperationLog): OperationLog[typeof level] =>
    (message, fields) => {
      const source = snapshot.find(operation, connection)?.source.name;
      const about = { operation, source, requestId };
      try {
        // Apart from what is said about the call, so that no field takes the place of another.
        log[level]?.(message, fields === undefined ? about : { ...about, fields });
      } catch {
        // A circle or a bigint is not JSON, but must not fail the call.
        log[level]?.(message, { ...about, fields: "[cannot be written as JSON]" });
      }
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
