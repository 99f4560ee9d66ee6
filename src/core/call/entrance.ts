import { type Caller, type Owners, ResourceAnswers } from "../access/index.ts";
import {
  ANONYMOUS,
  CallError,
  type CallErrorJson,
  type Identity,
  intersect,
  isRecord,
  type Log,
  type Reach,
  SILENT_LOG,
} from "../model/index.ts";
import type { Registry } from "../registry/index.ts";
import { withTypes } from "./admit.ts";
import type { Dispatch } from "./dispatch.ts";
import { type Call, lazily, type RootCall } from "./frame.ts";
import { type Limits, takeShare, takeTurn } from "./limits.ts";
import { runBatch } from "./run-batch.ts";

/** Resolves a token to an identity; undefined for an unknown token. */
export type IdentityResolver = (token: string, signal?: AbortSignal) => Promise<Identity | undefined>;

/** The end of a call on every wire. */
export type Envelope = { readonly requestId: string } & (
  | {
      readonly output: unknown;
      /** Something that the caller should know, such as that it used an old name. */
      readonly note?: string;
    }
  | { readonly error: CallErrorJson }
);

/** An answer that is an error. */
type Refusal = Extract<Envelope, { readonly error: CallErrorJson }>;

/** The results of a batch, in the order of its calls. */
export type BatchEnvelope = { readonly requestId: string } & (
  | { readonly results: readonly Envelope[] }
  | { readonly error: CallErrorJson }
);

/** Properties of a call that a wire may set; the identity is not one of them. */
export type WireCall = Omit<
  RootCall,
  "identity" | "requestId" | "parentRequestId" | "reach" | "overlay" | "share" | "answers" | "onNote"
>;

/** A wire that has named the call already: it knows the id also where the call never ends. */
export type NamedWireCall = WireCall & Pick<RootCall, "requestId">;

/** Wraps the calls of one caller: what happens around each, on every wire. */
export type Middleware = (next: Dispatch, caller: Caller) => Dispatch;

/** The gateway as one caller has it: every call made through it is that caller's. */
export interface Entrance {
  readonly identity: Identity;
  /** The caller as access decisions see it, for wires that show operations. */
  readonly caller: Caller;
  /** The same caller, each of whose calls goes through the given middleware first. */
  with(middleware: Middleware): Entrance;
  /** The same caller, confined to the given reach in addition to its own. */
  within(reach: Reach | undefined): Entrance;
  /** Answers a request that is not a call, such as one for a list, within the caller's limits. Rejects with RATE_LIMITED. */
  look<Answer>(answer: () => Answer | Promise<Answer>, signal: AbortSignal): Promise<Answer>;
  /** Counts a request before it is read any further. Its call, or its refusal, is not counted again. */
  reserve(signal: AbortSignal): Promise<Reserved>;
  call(call: Call, wire?: NamedWireCall): Promise<Envelope>;
  batch(calls: readonly unknown[], wire?: WireCall): Promise<BatchEnvelope>;
  /** Throws a CallError where the stream cannot start. Its items come without an envelope, so the wire may name the call. */
  subscribe(call: Call, wire?: NamedWireCall): Promise<AsyncIterableIterator<unknown>>;
  /** The answer to a request that never becomes a call, and counts like one; the log has its id. */
  refuse(error: CallError, signal?: AbortSignal): Promise<Refusal>;
}

/** A request that has been counted. */
interface Reserved {
  /** The same caller; the first call or refusal takes what was reserved. */
  readonly entrance: Entrance;
  /** The limits of the caller refuse the request: its call ends with that. */
  readonly isRefused: boolean;
  /** Ends the reservation if nothing has taken it. */
  release(): void;
}

/** The one way from any wire into dispatch: token → identity → root context → dispatch → envelope. */
export interface GatewayDispatch {
  /**
   * Authenticates a caller by its token; without one it is anonymous. Throws FORBIDDEN for an unknown
   * token.
   */
  enter(token?: string, signal?: AbortSignal): Promise<Entrance>;
}

/** Options of a GatewayDispatch. */
export interface GatewayDispatchOptions {
  readonly dispatch: Dispatch;
  /** Without one every presented token is refused. */
  readonly resolveIdentity?: IdentityResolver;
  /** With both, identities get the types of resources that the ownership ports of the registry give them. */
  readonly registry?: Registry;
  readonly owners?: Owners;
  /** The key of operations that only this caller has. */
  readonly overlayOf?: ((identity: Identity) => Promise<string | undefined>) | undefined;
  /** Identity of callers without a token; on a gateway that only its own machine reaches, that may be the operator. */
  readonly anonymous?: Identity;
  /** The reach that every caller is confined to. */
  readonly reach?: Reach | undefined;
  /** Limits of callers; dispatch uses the same for calls. */
  readonly limits?: Limits;
  readonly maxBatchSize?: number;
  readonly batchConcurrency?: number;
  /** Default of concurrent calls per caller; a batch keeps to it. */
  readonly maxConcurrent?: number | undefined;
  readonly log?: Log;
}

const NEVER = new AbortController().signal;

/** Builds the entrance that all projections share. */
export function createGatewayDispatch(options: GatewayDispatchOptions): GatewayDispatch {
  const {
    dispatch,
    resolveIdentity,
    registry,
    overlayOf,
    maxBatchSize = 50,
    batchConcurrency = 8,
    maxConcurrent = Number.POSITIVE_INFINITY,
    anonymous = ANONYMOUS,
    reach,
    log = SILENT_LOG,
    limits,
    owners,
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

  /** A refusal costs work too, so it counts, and is delayed if there are too many. */
  async function tooMany(
    identity: Identity,
    { signal = NEVER, share }: Pick<RootCall, "signal" | "share">,
  ): Promise<CallError | undefined> {
    try {
      const release = share?.() ?? (await limits?.enter(identity, signal));
      release?.();
    } catch (error) {
      return error as CallError;
    }
    return undefined;
  }

  function entranceOf(caller: Caller, chain: readonly Middleware[], share?: RootCall["share"]): Entrance {
    const { identity, reach } = caller;
    const own = { identity, reach, share };
    // Asked for each call, because an entrance may outlive an overlay.
    const inOverlay = async () => ({ ...own, overlay: await overlayOf?.(identity) });
    const path = chain.reduce((next, wrap) => wrap(next, caller), dispatch);
    const { batchSize = maxBatchSize, concurrent = maxConcurrent } = identity.limits ?? {};
    const run = (wanted: Call, root: RootCall) => {
      const { requestId = crypto.randomUUID() } = root;
      return enclose(requestId, async () => {
        let noted: { readonly note: string } | undefined;
        const onNote = (note: string) => {
          noted = { note };
        };
        const by = overlayOf ? await inOverlay() : own;
        const output = await path.invoke(wanted, { ...root, ...by, requestId, onNote });
        return { output, ...noted };
      });
    };

    const refuse = async (
      wrong: CallError,
      { signal, parentRequestId }: Pick<RootCall, "signal" | "parentRequestId"> = {},
    ): Promise<Refusal> => {
      const requestId = crypto.randomUUID();
      const error = (await tooMany(identity, { signal, share })) ?? wrong;
      const { code, message: reason } = error;
      const ids = { requestId, ...(parentRequestId !== undefined && { parentRequestId }) };
      log.warn("A request was refused", { ...ids, principal: identity.id, code, reason });
      return { requestId, error: error.toJSON() };
    };

    /** Calls of a batch have it as their parent, as composed calls have their composer. */
    const batch: Entrance["batch"] = async (calls, wire = {}) => {
      if (calls.length === 0 || calls.length > batchSize)
        return refuse(wrongSize(calls.length, batchSize), wire);
      const requestId = crypto.randomUUID();
      const answers = lazily(() => new ResourceAnswers());
      const runItem = async (item: unknown) =>
        isCall(item)
          ? run(item, { ...wire, parentRequestId: requestId, answers })
          : refuse(badItem(), { signal: wire.signal, parentRequestId: requestId });
      return {
        requestId,
        results: await runBatch(calls, runItem, { concurrency: Math.min(batchConcurrency, concurrent) }),
      };
    };

    return {
      identity,
      caller,
      with: (middleware) => entranceOf(caller, [...chain, middleware], share),
      within: (narrower) => entranceOf({ ...caller, reach: intersect(reach, narrower) }, chain, share),
      call: (wanted, wire = {}) => run(wanted, wire),
      batch,
      async look(answer, signal) {
        const release = await takeTurn(limits, identity, signal);
        try {
          return await answer();
        } finally {
          release();
        }
      },
      async reserve(signal) {
        const { take, isRefused } = await takeShare(limits, identity, signal);
        const reserved = entranceOf(caller, chain, take);
        return { entrance: reserved, isRefused, release: () => take()?.() };
      },
      refuse: (error, signal) => refuse(error, { signal }),
      subscribe: async (wanted, wire = {}) =>
        path.invokeStreaming(wanted, { ...wire, ...(overlayOf ? await inOverlay() : own) }),
    };
  }

  return {
    async enter(token, signal) {
      const found = await identify(token, signal);
      const identity = registry && owners ? await withTypes(found, registry.snapshot(), owners) : found;
      return entranceOf({ identity, internal: false, reach, overlay: await overlayOf?.(identity) }, []);
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

function wrongSize(size: number, limit: number): CallError {
  const message =
    size === 0
      ? `A batch takes 1 to ${limit} calls; this one has none.`
      : `A batch takes up to ${limit} calls; this one has ${size}. Nothing was called. Send it in parts.`;
  return new CallError("INVALID_INPUT", message);
}
