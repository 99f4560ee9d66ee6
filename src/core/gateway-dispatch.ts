import type { Caller } from "./access.ts";
import { runBatch } from "./batch.ts";
import type { Dispatch } from "./dispatch.ts";
import { CallError, type CallErrorJson } from "./errors.ts";
import type { Call, RootCall } from "./frame.ts";
import { ANONYMOUS, type Identity } from "./identity.ts";
import { isRecord } from "./json.ts";
import type { Reach } from "./reach.ts";

/** Finds out who presents a token; undefined when nobody is known by it. */
export type IdentityResolver = (token: string, signal?: AbortSignal) => Promise<Identity | undefined>;

/** How every call ends on every wire. */
export type Envelope = { readonly requestId: string } & (
  | { readonly output: unknown }
  | { readonly error: CallErrorJson }
);

/** The results of a batch, in the order of its calls. */
export type BatchEnvelope = { readonly requestId: string } & (
  | { readonly results: readonly Envelope[] }
  | { readonly error: CallErrorJson }
);

/** What a wire may say about a call; who calls is not among it. */
export type WireCall = Omit<RootCall, "identity" | "requestId" | "reach">;

/** The gateway as one caller has it: every call made through it is that caller's. */
export interface Entrance {
  readonly identity: Identity;
  /** How the caller looks at the registry, for wires that show something of it. */
  readonly caller: Caller;
  /** The same caller at an opening that lets less through. */
  within(reach: Reach | undefined): Entrance;
  call(call: Call, wire?: WireCall): Promise<Envelope>;
  batch(calls: readonly unknown[], wire?: WireCall): Promise<BatchEnvelope>;
  /** Throws a CallError where the stream cannot start. Its items come without an envelope, so the wire may name the call. */
  subscribe(
    call: Call,
    wire?: WireCall & Pick<RootCall, "requestId">,
  ): Promise<AsyncIterableIterator<unknown>>;
}

/** The one way from any wire into dispatch: token → identity → root context → dispatch → envelope. */
export interface GatewayDispatch {
  /**
   * Lets a caller in by the token that it presents; without one it is anonymous. Throws FORBIDDEN for a
   * token that nobody is known by.
   */
  enter(token?: string, signal?: AbortSignal): Promise<Entrance>;
}

/** What a GatewayDispatch is made of. */
export interface GatewayDispatchOptions {
  readonly dispatch: Dispatch;
  /** Without one every presented token is refused. */
  readonly resolveIdentity?: IdentityResolver;
  /** Who calls without a token; on a gateway that only its own machine reaches, that may be the operator. */
  readonly anonymous?: Identity;
  readonly maxBatchSize?: number;
  readonly batchConcurrency?: number;
  /** How many calls a caller may have at once that has no limit of its own; a batch keeps to it. */
  readonly maxConcurrent?: number | undefined;
}

/** Builds the entrance that all projections share. */
export function createGatewayDispatch(options: GatewayDispatchOptions): GatewayDispatch {
  const {
    dispatch,
    resolveIdentity,
    maxBatchSize = 50,
    batchConcurrency = 8,
    maxConcurrent = Number.POSITIVE_INFINITY,
    anonymous = ANONYMOUS,
  } = options;

  async function identify(token: string | undefined, signal: AbortSignal | undefined): Promise<Identity> {
    if (token === undefined) return anonymous;
    const identity = await resolveIdentity?.(token, signal).catch(cannotResolve);
    if (identity) return identity;
    throw new CallError(
      "FORBIDDEN",
      "The presented token is not known here. Check it, or leave it out if calls without a token are allowed here.",
    );
  }

  function entranceOf(identity: Identity, reach?: Reach): Entrance {
    const { batchSize = maxBatchSize, concurrent = maxConcurrent } = identity.limits ?? {};
    const call: Entrance["call"] = (wanted, wire = {}) => {
      const requestId = crypto.randomUUID();
      return enclose(requestId, async () => ({
        output: await dispatch.invoke(wanted, { ...wire, identity, reach, requestId }),
      }));
    };

    return {
      identity,
      caller: { identity, internal: false, reach },
      within: (narrower) => entranceOf(identity, narrower),
      call,
      batch: (calls, wire = {}) =>
        enclose(crypto.randomUUID(), async () => {
          if (calls.length > batchSize) throw batchTooLarge(calls.length, batchSize);
          const runItem = (item: unknown) =>
            isCall(item) ? call(item, wire) : enclose(crypto.randomUUID(), () => Promise.reject(badItem()));
          return {
            results: await runBatch(calls, runItem, { concurrency: Math.min(batchConcurrency, concurrent) }),
          };
        }),
      subscribe: (wanted, wire = {}) => dispatch.invokeStreaming(wanted, { ...wire, identity, reach }),
    };
  }

  return {
    enter: async (token, signal) => entranceOf(await identify(token, signal)),
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

function batchTooLarge(size: number, limit: number): CallError {
  return new CallError(
    "INVALID_INPUT",
    `A batch takes up to ${limit} calls; this one has ${size}. Nothing was called. Send it in parts.`,
  );
}
