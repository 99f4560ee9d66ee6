import { permitsResource } from "./access.ts";
import { Capabilities } from "./capabilities.ts";
import type { OperationContext, OperationEnv } from "./context.ts";
import type { CallError } from "./errors.ts";
import { finishOutput, type OutputValidation } from "./finish-output.ts";
import { type Frame, openChild, openRoot, type RootCall } from "./frame.ts";
import { mapError } from "./map-error.ts";
import { normaliseName } from "./name.ts";
import { compilePatterns } from "./pattern.ts";
import {
  type Audit,
  type Log,
  SchemaUnusable,
  type SchemaValidator,
  type Selector,
  SILENT_LOG,
} from "./ports.ts";
import {
  cannotRequestInput,
  forbidden,
  forbiddenResource,
  invalidInput,
  invalidSelect,
  notFound,
  unusableSchema,
  wrongKind,
} from "./refusals.ts";
import type { Handler, OnceHandler, Registration, StreamHandler } from "./registration.ts";
import type { Registry } from "./registry.ts";
import { paceStream } from "./stream.ts";
import { createView } from "./view.ts";

/** What to run. */
export interface Call {
  readonly operation: string;
  readonly input?: unknown;
  /** A JMESPath expression on the output. */
  readonly select?: string | undefined;
}

/** The one path of a call. */
export interface Dispatch {
  /** Runs a query or mutation and answers its output; throws only CallErrors. */
  invoke(call: Call, root?: RootCall): Promise<unknown>;
  /** Starts a subscription; what is wrong with the call itself is thrown before the first item. */
  invokeStreaming(call: Call, root?: RootCall): Promise<AsyncIterableIterator<unknown>>;
}

/** What dispatch is made of. */
export interface DispatchOptions {
  readonly registry: Registry;
  readonly validator: SchemaValidator;
  readonly selector: Selector;
  readonly log?: Log;
  readonly audit?: Audit;
  /** For the output of imported operations. */
  readonly outputValidation?: OutputValidation;
  /** The largest output that goes out, in bytes of JSON. */
  readonly maxResultBytes?: number;
  /** How long a call may take that does not say so itself; subscriptions have no such limit. */
  readonly deadlineMs?: number;
}

/** Builds the path: every operation of the registry is run by what this returns. */
export function createDispatch(options: DispatchOptions): Dispatch {
  const { registry, validator, selector, log = SILENT_LOG, deadlineMs = 30_000 } = options;
  const stages = {
    validator,
    selector,
    log,
    outputValidation: options.outputValidation ?? "warn",
    maxResultBytes: options.maxResultBytes ?? 1_048_576,
  };
  /** Errors with which a call has failed: seen again further up, they came from below. */
  const left = new WeakSet<CallError>();

  async function runOnce(call: Call, frame: Frame): Promise<unknown> {
    let registration: Registration | undefined;
    try {
      registration = admit(call, frame, "once");
      const input = checkInput(call, registration, frame);
      const answer = await runHandler(registration.handler as OnceHandler, input, { registration, frame });
      const wish = { requestId: frame.requestId, select: call.select, capped: !frame.internal };
      const output = finishOutput(answer, registration, { ...wish, stages });
      record("ok", call, frame, registration);
      return output;
    } catch (error) {
      throw leave(error as CallError, call, frame, registration);
    } finally {
      frame.lifetime.end();
    }
  }

  async function runStream(call: Call, frame: Frame): Promise<AsyncIterableIterator<unknown>> {
    let registration: Registration | undefined;
    try {
      const admitted = admit(call, frame, "stream");
      registration = admitted;
      const input = checkInput(call, admitted, frame);
      const items = await runHandler(admitted.handler as StreamHandler, input, { registration, frame });
      const wish = { requestId: frame.requestId, select: call.select, capped: true, stages };
      return paceStream(items, frame.lifetime, {
        onItem: (item) => finishOutput(item, admitted, wish),
        onThrown: (thrown) => mapThrown(thrown, admitted, frame),
        onEnd: (error) => (error ? leave(error, call, frame, admitted) : record("ok", call, frame, admitted)),
      });
    } catch (error) {
      frame.lifetime.end();
      throw leave(error as CallError, call, frame, registration);
    }
  }

  /** handler → map errors. */
  async function runHandler<Answer>(
    handler: { readonly run: (input: unknown, context: OperationContext) => Answer },
    input: unknown,
    { registration, frame }: { readonly registration: Registration; readonly frame: Frame },
  ): Promise<Awaited<Answer>> {
    try {
      frame.lifetime.signal.throwIfAborted();
      const capabilities = registration.capabilities
        ? await frame.lifetime.within(registration.capabilities(frame.principal, frame.lifetime.signal))
        : Capabilities.none;
      const context = contextOf(registration, frame, capabilities);
      return await frame.lifetime.within(handler.run(input, context));
    } catch (thrown) {
      throw mapThrown(thrown, registration, frame);
    }
  }

  /** find → visibility and deny → access → kind; see decision 006 for why access comes before kind. */
  function admit(call: Call, frame: Frame, kind: Handler["kind"]): Registration {
    const view = createView(frame.snapshot, frame);
    const name = normaliseName(call.operation);
    const found = view.look(name);
    if (!found || found.sight === "absent") throw notFound(name, frame.internal ? [] : view.suggest(name));
    if (found.sight === "forbidden") throw forbidden(name, frame.identity);
    const { registration } = found.entry;
    if (registration.handler.kind !== kind) throw wrongKind(registration.spec);
    return registration;
  }

  /** validate the input and what else the caller wrote → resource check. All of it before anything runs. */
  function checkInput(call: Call, { spec }: Registration, frame: Frame): unknown {
    const input = call.input === undefined ? {} : call.input;
    try {
      const problems = validator.check(spec.inputSchema, input);
      if (problems.length > 0) throw invalidInput(spec, problems);
    } catch (error) {
      if (!(error instanceof SchemaUnusable)) throw error;
      log.error("An input schema cannot be used", { operation: spec.name, error: error.message });
      throw unusableSchema(spec, error);
    }
    const problem = call.select === undefined ? undefined : selector.problemOf(call.select);
    if (call.select !== undefined && problem) throw invalidSelect(call.select, problem);
    const { resource } = spec.access;
    if (resource && !permitsResource(resource, input, frame.identity))
      throw forbiddenResource(resource, frame.identity);
    return input;
  }

  function contextOf(registration: Registration, frame: Frame, capabilities: Capabilities): OperationContext {
    const { lifetime, principal } = frame;
    const cannotAsk = () => cannotRequestInput(registration.spec.name, frame.internal);
    return {
      requestId: frame.requestId,
      parentRequestId: frame.parentRequestId,
      principal,
      identity: frame.identity,
      connection: frame.connection,
      forwardedFor: frame.forwardedFor,
      capabilities,
      metadata: frame.metadata ?? {},
      trace: frame.trace,
      env: envOf(registration, frame),
      signal: lifetime.signal,
      deadline: lifetime.deadline,
      internal: frame.internal,
      resume: frame.resume,
      progress: (update) => frame.progress?.(update),
      requestInput: (request) => frame.requestInput?.(request) ?? Promise.reject(cannotAsk()),
    };
  }

  function envOf(registration: Registration, frame: Frame): OperationEnv {
    const { scopedEnv } = registration;
    return {
      async invoke(operation, input, compose = {}) {
        const name = normaliseName(operation);
        if (!scopedEnv || !compilePatterns(scopedEnv)(name)) throw notFound(name, []);
        return runOnce(
          { operation: name, input, select: compose.select },
          openChild(frame, registration, compose),
        );
      },
    };
  }

  function mapThrown(thrown: unknown, { spec }: Registration, { requestId, lifetime }: Frame): CallError {
    return (
      lifetime.cutBy ?? mapError(thrown, { spec, requestId, log, isFromBelow: (error) => left.has(error) })
    );
  }

  /** audit. */
  function leave(
    error: CallError,
    call: Call,
    frame: Frame,
    registration: Registration | undefined,
  ): CallError {
    left.add(error);
    record(error.code, call, frame, registration);
    return error;
  }

  function record(outcome: string, call: Call, frame: Frame, registration: Registration | undefined): void {
    options.audit?.({
      requestId: frame.requestId,
      parentRequestId: frame.parentRequestId,
      principal: frame.principal.id,
      identity: frame.identity.id,
      operation: registration?.spec.name ?? normaliseName(call.operation),
      outcome,
      milliseconds: Date.now() - frame.startedAt,
      traceparent: frame.trace?.traceparent,
    });
  }

  return {
    invoke: (call, root = {}) => runOnce(call, openRoot(root, registry.snapshot(), deadlineMs)),
    invokeStreaming: (call, root = {}) => runStream(call, openRoot(root, registry.snapshot(), undefined)),
  };
}
