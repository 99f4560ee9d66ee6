import { cannotRequestInput, compilePatterns, notFound, notInComposes } from "../access/index.ts";
import type {
  Capabilities,
  Identity,
  Log,
  OperationContext,
  OperationEnv,
  OperationLog,
  OutboundFetch,
  Reach,
  Redactor,
  Registration,
  Trace,
  UnknownRecord,
} from "../model/index.ts";
import { CallError, normaliseName, runsDry } from "../model/index.ts";
import { createView } from "../registry/index.ts";
import { type Call, type Frame, openChild } from "./frame.ts";
import type { Lifetime } from "./lifetime.ts";

/** Parts of a context that its frame does not have. */
interface ContextParts {
  readonly capabilities: Capabilities;
  readonly select: string | undefined;
  /** For registrations that bring none of their own. */
  readonly fetch: OutboundFetch | undefined;
  readonly log: Log;
  /** Takes the secrets of the call, as they are at the moment, out of what the handler lets others know. */
  readonly redactor: () => Redactor;
  /** Runs a call that the handler composes. */
  readonly runChild: (call: Call, frame: Frame) => Promise<unknown>;
  readonly handedOn: OperationContext["handedOn"];
}

/** The context of one call, for its handler. */
export function openContext(registration: Registration, frame: Frame, parts: ContextParts): OperationContext {
  return new CallContext(registration, frame, parts);
}

/**
 * Written out as a class, because each call makes one: an object literal with an accessor has a shape of its own each time, at
 * three times the cost of a call. All but the deadline are own properties, so that a handler may take them apart.
 */
class CallContext implements OperationContext {
  readonly requestId: string;
  readonly parentRequestId: string | undefined;
  readonly principal: Identity;
  readonly identity: Identity;
  readonly connection: string | undefined;
  readonly overlay: string | undefined;
  readonly reach: Reach | undefined;
  readonly forwardedFor: string | undefined;
  readonly capabilities: Capabilities;
  readonly metadata: UnknownRecord;
  readonly trace: Trace | undefined;
  readonly hops: readonly string[];
  readonly env: OperationEnv;
  readonly fetch: OperationContext["fetch"];
  readonly log: OperationLog;
  readonly signal: AbortSignal;
  readonly internal: boolean;
  readonly select: string | undefined;
  readonly dryRun: boolean;
  readonly resume: unknown;
  readonly redact: OperationContext["redact"];
  readonly handedOn: OperationContext["handedOn"];
  readonly progress: OperationContext["progress"];
  readonly requestInput: OperationContext["requestInput"];
  readonly #lifetime: Lifetime;

  constructor(registration: Registration, frame: Frame, parts: ContextParts) {
    const { spec } = registration;
    const redact = <Value>(value: Value): Value => parts.redactor().value(value);
    this.#lifetime = frame.lifetime;
    this.requestId = frame.requestId;
    this.parentRequestId = frame.parentRequestId;
    this.principal = frame.principal;
    this.identity = frame.identity;
    this.connection = frame.connection;
    this.overlay = frame.overlay;
    this.reach = frame.reach;
    this.forwardedFor = frame.forwardedFor;
    this.capabilities = parts.capabilities;
    this.metadata = frame.metadata ?? NO_METADATA;
    this.trace = frame.trace;
    this.hops = frame.hops ?? NO_HOPS;
    this.env = openEnv(registration, frame, parts);
    this.fetch = openFetch(registration.fetch ?? parts.fetch, frame);
    this.log = openLog(spec.name, frame, parts);
    this.signal = frame.lifetime.signal;
    this.internal = frame.internal;
    this.select = registration.selects ? parts.select : undefined;
    this.dryRun = runsDry(spec, frame);
    this.resume = frame.resume;
    this.redact = redact;
    this.handedOn = parts.handedOn;
    this.progress = (update) => frame.progress?.(redact(update));
    this.requestInput = (request) =>
      frame.requestInput?.(redact(request)) ?? Promise.reject(cannotRequestInput(spec.name, frame.internal));
  }

  get deadline(): number | undefined {
    return this.#lifetime.deadlineByClock;
  }
}

const NO_METADATA: UnknownRecord = Object.freeze({});
const NO_HOPS: readonly string[] = Object.freeze([]);

function openEnv(registration: Registration, frame: Frame, { runChild, log }: ContextParts): OperationEnv {
  const { scopedEnv } = registration;
  return {
    invoke(operation, input, compose = {}) {
      const child = frame.composition().run(registration.spec.name, frame.depth + 1, () => {
        const name = normaliseName(operation);
        if (!scopedEnv || !compilePatterns(scopedEnv)(name)) throw notComposed(name, registration, frame);
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

/** The refusal of an operation that `composes` does not name. Its author reads it, never a caller: dispatch answers INTERNAL. */
function notComposed(name: string, composer: Registration, frame: Frame): CallError {
  const found = createView(frame.snapshot, openChild(frame, composer, {})).look(name);
  return found && found.sight !== "absent" ? notInComposes(name, composer.spec) : notFound(name, []);
}

/** Only the log and the audit hear of a call that outlived its caller. */
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

function openLog(operation: string, frame: Frame, { log }: ContextParts): OperationLog {
  const { requestId, snapshot } = frame;
  const at =
    (level: keyof OperationLog): OperationLog[typeof level] =>
    (message, fields) => {
      const source = snapshot.find(operation, frame)?.source.name;
      const about = { operation, source, requestId };
      try {
        // In a record of their own, so that no field of a handler replaces one about the call.
        log[level]?.(message, fields === undefined ? about : { ...about, fields });
      } catch {
        // A circle or a bigint is not JSON, but must not fail the call.
        log[level]?.(message, { ...about, fields: "[cannot be written as JSON]" });
      }
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
