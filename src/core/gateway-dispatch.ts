import { runBatch } from "./batch.ts";
import type { Call, Dispatch } from "./dispatch.ts";
import { CallError, type CallErrorJson } from "./errors.ts";
import type { RootCall } from "./frame.ts";
import { ANONYMOUS, type Identity } from "./identity.ts";
import { isRecord } from "./json.ts";

/** Finds out who presents a token; undefined when nobody is known by it. */
export type IdentityResolver = (token: string, signal?: AbortSignal) => Promise<Identity | undefined>;

/** How every call ends on every wire. */
export type Envelope = { readonly requestId: string } & (
  | { readonly output: unknown }
  | { readonly error: CallErrorJson }
);

/** What a wire knows about a call, before anyone is identified. */
export interface WireCall extends Omit<RootCall, "identity" | "requestId"> {
  /** The credential as presented; missing means anonymous, wrong means refused. */
  readonly token?: string | undefined;
}

/** The results of a batch, in the order of its calls. */
export type BatchEnvelope = { readonly requestId: string } & (
  | { readonly results: readonly Envelope[] }
  | { readonly error: CallErrorJson }
);

/** The one way from any wire into dispatch: token → identity → root context → dispatch → envelope. */
export interface GatewayDispatch {
  /** Who presents this token. Throws FORBIDDEN for a token that nobody is known by. */
  identify(token: string | undefined, signal?: AbortSignal): Promise<Identity>;
  call(call: Call, wire?: WireCall): Promise<Envelope>;
  batch(calls: readonly unknown[], wire?: WireCall): Promise<BatchEnvelope>;
  /** Throws a CallError where the stream cannot start. */
  subscribe(call: Call, wire?: WireCall): Promise<AsyncIterableIterator<unknown>>;
}

/** What a GatewayDispatch is made of. */
export interface GatewayDispatchOptions {
  readonly dispatch: Dispatch;
  /** Without one every presented token is refused. */
  readonly resolveIdentity?: IdentityResolver;
  readonly maxBatchSize?: number;
  readonly batchConcurrency?: number;
}

/** Builds the entrance that all projections share. */
export function createGatewayDispatch(options: GatewayDispatchOptions): GatewayDispatch {
  const { dispatch, resolveIdentity, maxBatchSize = 50, batchConcurrency = 8 } = options;

  async function identify(token: string | undefined, signal?: AbortSignal): Promise<Identity> {
    if (token === undefined) return ANONYMOUS;
    const identity = await resolveIdentity?.(token, signal).catch(cannotResolve);
    if (identity) return identity;
    throw new CallError(
      "FORBIDDEN",
      "The presented token is not known here. Check it, or leave it out to call without identity.",
    );
  }

  async function rootOf(wire: WireCall): Promise<RootCall> {
    const { token, ...rest } = wire;
    return { ...rest, identity: await identify(token, wire.signal) };
  }

  function run(call: Call, root: RootCall | Promise<RootCall>): Promise<Envelope> {
    const requestId = crypto.randomUUID();
    return enclose(requestId, async () => ({
      output: await dispatch.invoke(call, { ...(await root), requestId }),
    }));
  }

  function runItem(item: unknown, root: RootCall): Promise<Envelope> {
    return isCall(item) ? run(item, root) : enclose(crypto.randomUUID(), () => Promise.reject(badItem()));
  }

  return {
    identify,

    call: (call, wire = {}) => run(call, rootOf(wire)),

    async batch(calls, wire = {}) {
      return enclose(crypto.randomUUID(), async () => {
        if (calls.length > maxBatchSize) {
          throw new CallError(
            "INVALID_INPUT",
            `A batch takes up to ${maxBatchSize} calls; this one has ${calls.length}. Nothing was called. Send it in parts.`,
          );
        }
        const root = await rootOf(wire);
        const results = await runBatch(calls, (item) => runItem(item, root), {
          concurrency: batchConcurrency,
        });
        return { results };
      });
    },

    async subscribe(call, wire = {}) {
      return dispatch.invokeStreaming(call, await rootOf(wire));
    },
  };
}

async function enclose<Answer extends object>(
  requestId: string,
  answer: () => Promise<Answer>,
): Promise<{ readonly requestId: string } & (Answer | { readonly error: CallErrorJson })> {
  try {
    return { requestId, ...(await answer()) };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { requestId, error: error.toJSON() };
  }
}

function cannotResolve(cause: unknown): never {
  if (cause instanceof CallError) throw cause;
  throw new CallError(
    "UNAVAILABLE",
    "The presented token cannot be checked at the moment. Try again later.",
    { cause },
  );
}

function isCall(item: unknown): item is Call {
  return (
    isRecord(item) &&
    typeof item.operation === "string" &&
    (item.select === undefined || typeof item.select === "string")
  );
}

function badItem(): CallError {
  return new CallError(
    "INVALID_INPUT",
    'Each call of a batch is {operation, input?, select?} with operation and select as text, for example {"operation": "demo/greet", "input": {"name": "Ada"}}.',
  );
}
