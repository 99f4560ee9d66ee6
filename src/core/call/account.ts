import type { Audit, AuditGate, Log, Registration } from "../model/index.ts";
import { measureJson, messageOf, normaliseName, shownName } from "../model/index.ts";
import type { Call, Frame } from "./frame.ts";

/** Cap on the measured size of an input. */
const MAX_MEASURED = 67_108_864;

/** Record of one call: filled in while it runs, given to the audit when it has ended. */
export class Account {
  readonly input: unknown;
  /** Set once the caller may know of the operation. */
  registration: Registration | undefined;
  /** The preset that the caller named. */
  preset: string | undefined;
  /** Set just before the handler runs. */
  begun = false;
  /** Set when another node has run the call. */
  remoteRequestId: string | undefined;
  #outputBytes = 0;
  #output: unknown;
  readonly #asked: string;
  readonly #frame: Frame;
  readonly #begunAt = performance.now();

  constructor(call: Call, frame: Frame) {
    this.#asked = call.operation;
    this.input = call.input;
    this.#frame = frame;
  }

  /** Notes an output, or one item of a stream. */
  sent(bytes: number, output?: unknown): void {
    this.#outputBytes += bytes;
    this.#output = output;
  }

  /** Tells the audit how the call ended. */
  close(outcome: string, audit: Audit | undefined): void {
    if (!audit) return;
    const { requestId, parentRequestId, principal, identity, forwardedFor, startedAt, trace, span } =
      this.#frame;
    const entry = {
      requestId,
      parentRequestId,
      composed: this.#frame.internal,
      remoteRequestId: this.remoteRequestId,
      principal: principal.id,
      identity: identity.id,
      forwardedFor: forwardedFor === undefined ? undefined : shownName(forwardedFor),
      operation: this.registration?.spec.name ?? shownName(normaliseName(this.#asked)),
      preset: this.preset,
      namespace: this.registration?.spec.namespace,
      decision: this.begun ? "allowed" : "refused",
      outcome,
      startedAt,
      milliseconds: Math.round(performance.now() - this.#begunAt),
      inputBytes: this.#frame.internal ? 0 : measuredInput(this.input),
      outputBytes: this.#outputBytes,
      traceparent: trace?.traceparent,
      span,
    } as const;
    audit(entry, { input: this.input, output: this.#output });
  }
}

/** Dependencies of a recorded call. */
interface Recording<Answer> extends AuditGate {
  readonly run: (call: Call, frame: Frame) => Promise<Answer>;
  readonly log: Log;
}

/** Runs a call that requires a record: not without one, and no answer before it is safe. */
export async function recorded<Answer>(
  call: Call,
  frame: Frame,
  { admit, written, run, log }: Recording<Answer>,
): Promise<Answer> {
  const unanswered = (error: unknown): never => {
    log.warn("A call is not answered, because its record cannot be written", {
      requestId: frame.requestId,
      principal: frame.principal.id,
      operation: shownName(normaliseName(call.operation)),
      reason: messageOf(error),
    });
    throw error;
  };
  try {
    admit();
  } catch (error) {
    frame.lifetime.end();
    return unanswered(error);
  }
  return run(call, frame).finally(() => written().catch(unanswered));
}

/** An embedding program may hand over a value that is not JSON; its size is not measured. */
function measuredInput(input: unknown): number {
  try {
    return input === undefined ? 0 : measureJson(input, MAX_MEASURED).bytes;
  } catch {
    return 0;
  }
}
