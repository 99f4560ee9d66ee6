import { isGranted, refusalOfWhole, resourceIn } from "../access/index.ts";
import {
  CallError,
  declaredError,
  type Log,
  messageOf,
  type OperationSpec,
  type Registration,
  rowOf,
  stackOf,
  type UnknownRecord,
} from "../model/index.ts";
import { createView } from "../registry/index.ts";
import type { Account } from "./account.ts";
import type { Frame } from "./frame.ts";

/** Codes that only dispatch itself may use; from a handler they would be false. */
const DISPATCH_ONLY: readonly string[] = ["NOT_FOUND", "FORBIDDEN"];

/** Codes that still tell the caller of a composition something true. */
const SAME_FROM_BELOW: readonly string[] = ["TIMEOUT", "RATE_LIMITED", "UNAVAILABLE", "ABORTED"];

/** The call in which a value was thrown. */
interface ErrorSite {
  readonly spec: OperationSpec;
  readonly requestId: string;
  readonly log: Log;
  /** The call below this one that has failed with what was thrown. */
  readonly step: FailedStep | undefined;
  /** Running the call twice does no harm. */
  readonly repeatable: boolean;
}

/** Maps a thrown value to the error that the caller may see. The only place that does. */
export function mapError(thrown: unknown, site: ErrorSite): CallError {
  const { spec, requestId, log } = site;
  if (!(thrown instanceof CallError)) {
    log.error("A handler failed", { operation: spec.name, requestId, error: stackOf(thrown) });
    return failed(spec, requestId);
  }
  const declared = declaredError(spec.errors, thrown.code);
  if (declared) {
    const { code, message, details, cause } = thrown;
    const retryable = thrown.saysRetryable ? thrown.retryable : (declared.retryable ?? thrown.retryable);
    const isHidden = site.step && site.step.operation === undefined;
    if (isHidden) return new CallError(code, `${endOfStep(code, site)}.`, { cause, retryable });
    return new CallError(code, message, { details, cause, retryable });
  }
  // Its text may name hidden operations, and is about a call that this caller did not make.
  if (site.step) return fromBelow(thrown, site, site.step);
  if (rowOf(thrown.code) && !DISPATCH_ONLY.includes(thrown.code)) {
    const { code, cause } = thrown;
    // Addresses and words of upstreams are for the log, not for callers.
    if (cause !== undefined)
      log.warn("A call failed", { operation: spec.name, requestId, code, cause: messageOf(cause) });
    return settleTimeout(thrown, site.repeatable);
  }
  log.error("A handler threw a code that its operation does not declare", {
    operation: spec.name,
    requestId,
    code: thrown.code,
    error: stackOf(thrown),
  });
  return failed(spec, requestId, { code: thrown.code });
}

/**
 * Makes a TIMEOUT retryable exactly if running the call twice does no harm, whichever clock fired: that of
 * the caller, of the gateway, of the source or of another node.
 */
export function settleTimeout(error: CallError, repeatable: boolean): CallError {
  const { code, message, retryable, details, cause } = error;
  if (code !== "TIMEOUT" || retryable === repeatable) return error;
  return new CallError(code, message, { details, cause, retryable: repeatable });
}

function fromBelow(thrown: CallError, site: ErrorSite, step: FailedStep): CallError {
  const { spec, requestId, log, repeatable } = site;
  log.warn("A composed call failed and its composer did not handle it", {
    operation: spec.name,
    requestId,
    stepRequestId: step.requestId,
    code: thrown.code,
    error: thrown.message,
  });
  const refusal = refusalOfWhole(thrown, spec.name);
  if (refusal) return refusal;
  const { code, retryable, message } = settleTimeout(thrown, repeatable);
  const said = step.operation === undefined ? "." : `: ${message}`;
  const sentence = `${endOfStep(code, site)}${said}`;
  if (!SAME_FROM_BELOW.includes(code)) return failed(spec, requestId, { code, ...step }, `${sentence} `);
  const advice = retryable && step.operation === undefined ? " Try again later." : "";
  return new CallError(code, `${sentence}${advice}`, { retryable, details: { ...step } });
}

function endOfStep(code: string, { spec, step }: ErrorSite): string {
  const name = step?.operation === undefined ? "" : `, ${step.operation},`;
  return `A step of ${spec.name}${name} ended with ${code}`;
}

function failed({ name }: OperationSpec, requestId: string, details?: UnknownRecord, before = ""): CallError {
  return new CallError(
    "INTERNAL",
    `${before}${name} failed. This is not about your input; report request ${requestId} to the operator of this gateway.`,
    details && { details },
  );
}

/** A composed call that has failed, as far as the reader of its error may know it. */
interface FailedStep {
  readonly requestId: string;
  /** Its name, where the reader could have made the call itself: then it may read the message too. */
  readonly operation?: string;
}

/** A call that an error quotes. */
interface Speaker {
  readonly registration: Registration | undefined;
  readonly input: unknown;
}

interface Left {
  readonly requestId: string;
  readonly speakers: readonly Speaker[];
}

/** Remembers the errors of failed calls, to recognise them further up as errors from below. */
export class ErrorsFromBelow {
  readonly #left = new WeakMap<CallError, Left>();
  /** Calls further down that an error quotes. */
  readonly #quoted = new WeakMap<CallError, readonly Speaker[]>();

  /** Notes that a call fails with an error. */
  leave(error: CallError, { registration, input }: Account, { requestId }: Frame): void {
    const speakers = [{ registration, input }, ...(this.#quoted.get(error) ?? [])];
    this.#left.set(error, { requestId, speakers });
  }

  /** The failed step that this error came from, as far as its reader may know it. */
  stepOf(thrown: unknown, reader: Frame): FailedStep | undefined {
    const left = this.#left.get(thrown as CallError);
    if (!left) return undefined;
    const { requestId, speakers } = left;
    const operation = speakers[0]?.registration?.spec.name;
    const isKnown = operation !== undefined && speakers.every((speaker) => couldCall(reader, speaker));
    return isKnown ? { requestId, operation } : { requestId };
  }

  /** Notes that an error quotes one from below. */
  quote(error: CallError, thrown: unknown): void {
    this.#quoted.set(error, this.#left.get(thrown as CallError)?.speakers ?? []);
  }
}

/** True if a caller could have made exactly this call itself, including access to the resource that its input names. */
function couldCall(reader: Frame, { registration, input }: Speaker): boolean {
  if (!registration) return false;
  const { name, access } = registration.spec;
  if (createView(reader.snapshot, reader).look(name)?.sight !== "open") return false;
  if (!access.resource) return true;
  const resource = resourceIn(input, access.resource);
  if (resource === undefined) return false;
  return isGranted(resource, reader.identity) || reader.answers().knowsOwned(resource);
}
