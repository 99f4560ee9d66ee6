import { dryRun, forbiddenMutation, Owners } from "../access/index.ts";
import type { CallError, Handler, Redactor } from "../model/index.ts";
import {
  type Audit,
  type AuditGate,
  Capabilities,
  decideMutation,
  type Log,
  type OperationSpec,
  type OutboundFetch,
  type Registration,
  type SchemaValidator,
  type Selector,
  SILENT_LOG,
} from "../model/index.ts";
import type { Registry } from "../registry/index.ts";
import { Account, recorded } from "./account.ts";
import { admit, admitResource, answerOfDryRun, frameWithTypes } from "./admit.ts";
import {
  CallRedactors,
  checkDetails,
  finishOutput,
  type OutputStages,
  type OutputValidation,
  redactError,
} from "./finish-output.ts";
import { type Call, type Frame, isRepeatable, openRoot, type RootCall } from "./frame.ts";
import { isPromiseLike } from "./lifetime.ts";
import { type Limits, releaseWhenEnded } from "./limits.ts";
import { ErrorsFromBelow, mapError, settleTimeout } from "./map-error.ts";
import { openContext } from "./open-context.ts";
import { inputOf, presetOf } from "./presets.ts";
import { iteratorOf, onlyItem, paceStream } from "./stream.ts";

/** The one path of a call. */
export interface Dispatch {
  /** Runs a query or mutation and answers its output; throws only CallErrors. */
  invoke(call: Call, root?: RootCall): Promise<unknown>;
  /** Starts a subscription; errors of the call itself are thrown before the first item. */
  invokeStreaming(call: Call, root?: RootCall): Promise<AsyncIterableIterator<unknown>>;
}

/** Options of dispatch. */
export interface DispatchOptions {
  readonly registry: Registry;
  readonly validator: SchemaValidator;
  readonly selector: Selector;
  readonly log?: Log;
  readonly audit?: Audit;
  /** Set if no call may run, or be answered, without its record. */
  readonly auditGate?: AuditGate | undefined;
  /** The HTTP client behind `context.fetch`; without it, `context.fetch` fails with an error that says so. */
  readonly fetch?: OutboundFetch;
  /** For outputs, and for details of declared errors of local operations. */
  readonly outputValidation?: OutputValidation;
  /** The largest output that goes out, in bytes of JSON. */
  readonly maxResultBytes?: number;
  /** Maximum duration of a call; callers may ask for less, never for more. Subscriptions are not limited. */
  readonly deadlineMs?: number;
  /** Limits of principals; none by default. */
  readonly limits?: Limits;
  /** Asks ownership ports, and keeps their answers. */
  readonly owners?: Owners;
  /** True: each call gets a span of its own; otherwise a trace is passed on as it came. */
  readonly traced?: boolean;
}

/** A call whose handler is about to begin. */
interface Running {
  readonly registration: Registration;
  readonly frame: Frame;
  readonly account: Account;
}

/** A call whose handler has answered: with its output, or with the iterator of a stream. */
interface Begun {
  readonly answer: unknown;
  /** Prepares an output, or an item of a stream, for the caller. */
  readonly finish: (item: unknown) => ReturnType<typeof finishOutput>;
  readonly mapThrown: (thrown: unknown) => CallError;
  /** audit, for a call that has succeeded. */
  readonly close: () => void;
}

/** Builds the one path that runs every operation of the registry. */
export function createDispatch(options: DispatchOptions): Dispatch {
  const {
    registry,
    validator,
    selector,
    log = SILENT_LOG,
    deadlineMs: longestMs = 30_000,
    traced = false,
  } = options;
  const stages: OutputStages = {
    validator,
    selector,
    log,
    outputValidation: options.outputValidation ?? "warn",
    maxResultBytes: options.maxResultBytes ?? 1_048_576,
  };
  const { owners = new Owners({ log }) } = options;
  const redactors = new CallRedactors();
  const below = new ErrorsFromBelow();

  async function runOnce(call: Call, frame: Frame): Promise<unknown> {
    const account = new Account(call, frame);
    const release = await admitByLimits(frame, account);
    try {
      const begun = await begin(call, frame, { kind: "once", account });
      if ("dryRun" in begun) return begun.dryRun;
      const { output, bytes } = begun.finish(begun.answer);
      account.sent(bytes, output);
      begun.close();
      return output;
    } catch (error) {
      const failure = leave(error as CallError, account, frame);
      const reached = answerOfDryRun(frame, account);
      if (reached === undefined) throw failure;
      return reached;
    } finally {
      giveBack(release, call, frame);
      frame.lifetime.end();
    }
  }

  async function runStream(call: Call, frame: Frame): Promise<AsyncIterableIterator<unknown>> {
    const account = new Account(call, frame);
    const release = await admitByLimits(frame, account);
    try {
      const begun = await begin(call, frame, { kind: "stream", account });
      if ("dryRun" in begun) {
        giveBack(release, call, frame);
        frame.lifetime.end();
        return onlyItem(begun.dryRun);
      }
      return paceStream(begun.answer as AsyncIterator<unknown>, frame.lifetime, {
        onItem(item) {
          const { output, bytes } = begun.finish(item);
          account.sent(bytes);
          return output;
        },
        onThrown: begun.mapThrown,
        lastItem: () => answerOfDryRun(frame, account),
        onReleased: (ended) => frame.handlers.add(ended),
        onEnd(error) {
          giveBack(release, call, frame);
          if (error) leave(error, account, frame);
          else begun.close();
        },
      });
    } catch (error) {
      giveBack(release, call, frame);
      frame.lifetime.end();
      throw leave(error as CallError, account, frame);
    }
  }

  /** admit → validate the input → handler, or what a dry run answers in its place. */
  async function begin(
    call: Call,
    opened: Frame,
    { kind, account }: { readonly kind: Handler["kind"]; readonly account: Account },
  ): Promise<Begun | { readonly dryRun: unknown }> {
    const known = frameWithTypes(opened, owners);
    const typed = isPromiseLike(known) ? await known : known;
    const preset = presetOf(call, typed);
    const frame = preset ? { ...typed, reach: preset.reach } : typed;
    const registration = admit(call, frame, { kind, account, preset });
    const written = inputOf(call, preset ?? registration, stages);
    const { resource } = registration.spec.access;
    const input = resource
      ? await admitResource(written, registration, { ...stages, frame, owners })
      : written;
    frame.onAdmitted?.();
    const isDry = decideMutation(registration.spec, frame) === "dry";
    if (isDry && registration.spec.dry !== "handled")
      return { dryRun: dry(preset?.spec ?? registration.spec, frame, account) };
    account.begun = true;
    const said = { input, select: call.select };
    const { answer, redactor } = await runHandler(said, { registration, frame, account });
    const { requestId, internal } = frame;
    const wish = { requestId, select: call.select, capped: !internal, stages: stagesFor(frame) };
    return {
      answer,
      finish: (item) => finishOutput(item, registration, { ...wish, redactor: redactor() }),
      mapThrown: (thrown) => mapThrown(thrown, registration, { frame, redactor }),
      close: () => account.close(isDry ? "dry" : "ok", options.audit),
    };
  }

  /** limits, before anything is looked up: a call too many must cost least, and probing counts too (decision 028). */
  async function admitByLimits(frame: Frame, account: Account): Promise<() => void> {
    if (!options.limits || frame.internal) return () => {};
    try {
      return frame.share?.() ?? (await options.limits.enter(frame.principal, frame.lifetime.signal));
    } catch (error) {
      frame.lifetime.end();
      throw leave(error as CallError, account, frame);
    }
  }

  /** Limits count calls from outside; what those compose belongs to their share. */
  function giveBack(
    release: () => void,
    { operation }: Call,
    { handlers, internal, requestId }: Frame,
  ): void {
    const warn = () =>
      log.warn("A handler still runs a minute after its call ended", { operation, requestId });
    if (!internal) releaseWhenEnded(handlers, release, warn);
  }

  /** A composer would mistake the answer of a dry run for a result, so a dry run below it ends the whole call. */
  function dry(spec: OperationSpec, frame: Frame, account: Account): unknown {
    if (frame.internal) {
      frame.composition().endAt(spec);
      throw frame.lifetime.cutBy ?? forbiddenMutation(spec.name);
    }
    account.close("dry", options.audit);
    return dryRun(spec);
  }

  function stagesFor({ principal }: Frame): OutputStages {
    const maxResultBytes = principal.limits?.maxResultBytes;
    return maxResultBytes === undefined ? stages : { ...stages, maxResultBytes };
  }

  /** handler → map errors → redact them. Secrets may arrive while a call runs, so the redactor is fetched when needed. */
  async function runHandler(
    { input, select }: Omit<Call, "operation">,
    { registration, frame, account }: Running,
  ): Promise<{ readonly answer: unknown; readonly redactor: () => Redactor }> {
    let capabilities = Capabilities.none;
    const redactor = () => redactors.of(registration, capabilities);
    try {
      frame.lifetime.throwIfOver();
      if (registration.capabilities)
        capabilities = await frame.lifetime.within(
          registration.capabilities(frame.principal, frame.lifetime.signal),
        );
      const context = openContext(registration, frame, {
        capabilities,
        select,
        redactor,
        fetch: options.fetch,
        log,
        runChild: runOnce,
        handedOn: (id) => {
          account.remoteRequestId = id;
        },
      });
      frame.lifetime.throwIfOver();
      if (!isRepeatable(registration)) frame.effects.begin();
      const { handler } = registration;
      const work =
        handler.kind === "stream" ? iteratorOf(handler.run(input, context)) : handler.run(input, context);
      frame.handlers.add(work);
      return { answer: await frame.lifetime.within(work), redactor };
    } catch (thrown) {
      throw mapThrown(thrown, registration, { frame, redactor });
    }
  }

  function mapThrown(
    thrown: unknown,
    registration: Registration,
    { frame, redactor }: { readonly frame: Frame; readonly redactor: () => Redactor },
  ): CallError {
    const { requestId, lifetime, effects } = frame;
    const repeatable = isRepeatable(registration) && !effects.begun;
    if (lifetime.cutBy) return settleTimeout(lifetime.cutBy, repeatable);
    const step = below.stepOf(thrown, frame);
    const mapped = mapError(thrown, { spec: registration.spec, requestId, log, step, repeatable });
    const isLocal = registration.provenance === "local";
    const checked = isLocal ? checkDetails(mapped, registration.spec, { ...stages, requestId }) : mapped;
    const error = redactError(checked, redactor());
    if (step?.operation !== undefined) below.quote(error, thrown);
    return error;
  }

  /** audit. */
  function leave(error: CallError, account: Account, frame: Frame): CallError {
    below.leave(error, account, frame);
    account.close(frame.composition().reached ? "dry" : error.code, options.audit);
    return error;
  }

  const gate = options.auditGate && { ...options.auditGate, log };
  return {
    invoke(call, root = {}) {
      const frame = openRoot(root, registry.snapshot(), { longestMs, isStream: false, traced });
      return gate ? recorded(call, frame, { ...gate, run: runOnce }) : runOnce(call, frame);
    },
    invokeStreaming(call, root = {}) {
      const frame = openRoot(root, registry.snapshot(), { longestMs, isStream: true, traced });
      return gate ? recorded(call, frame, { ...gate, run: runStream }) : runStream(call, frame);
    },
  };
}
