import {
  abortableStream,
  type Call,
  CallError,
  type Entrance,
  type GatewayDispatch,
  type Identity,
  type NamedWireCall,
  normaliseName,
  parseTrace,
  refusalToReadmit,
  type WireCall,
} from "../../core/index.ts";
import { type CallReport, type CallRequest, refuseLoop, type Service } from "../../protocol/index.ts";

/** Offered operations last as long as the connection. */
const OFFER = "services/offer";

/** Something that lasts longer than its request, and its caller. */
interface LastingRequest {
  readonly token: string | undefined;
  /** The caller, and the scopes without which it must not go on. */
  readonly identity: Pick<Identity, "id" | "scopes">;
  /** Called once its caller would not be authenticated again with the same rights. */
  readonly end: (refusal: CallError) => void;
}

/** Everything that lasts on one connection: itself, streams and an offer, each by a token of its own or by that of the connection. */
export class LastingRequests {
  readonly #all = new Set<LastingRequest>();

  /** Adds a request until the returned function is called. */
  add(request: LastingRequest): () => void {
    this.#all.add(request);
    return () => this.#all.delete(request);
  }

  /** Ends requests whose callers would not be authenticated again; each token is checked once. */
  async recheck(enter: (token: string | undefined) => Promise<Entrance>): Promise<void> {
    const entered = new Map<string | undefined, Promise<Entrance>>();
    const look = async (request: LastingRequest) => {
      const { token, identity, end } = request;
      const again = entered.get(token) ?? enter(token);
      entered.set(token, again);
      const refusal = await refusalToReadmit(identity, again);
      if (refusal && this.#all.delete(request)) end(refusal);
    };
    await Promise.all([...this.#all].map(look));
  }
}

/** Options for serving one connection. */
interface ServeOptions {
  readonly gateway: () => GatewayDispatch;
  /** False: callers without a token are refused. */
  readonly anonymous: () => boolean;
  /** The id of this node, as it appears in the `hops` of calls that it handed on. */
  readonly nodeId: string;
  /** The id of the connection. */
  readonly connection: string;
  /** Token presented when the connection was opened. */
  readonly token: string | undefined;
  /** Told of each call that comes in. */
  readonly onCall: () => void;
  /** Told the caller of a request that brings a good token of its own. */
  readonly onProven: (identity: Identity) => void;
  /** Told when operations were offered. */
  readonly onOffered: () => void;
  readonly lasting: LastingRequests;
  /** Told when the token that offered operations is no longer accepted. */
  readonly onOfferRevoked: () => void;
  /** True once no new calls are taken. */
  readonly isLeaving: () => boolean;
}

/**
 * Runs the calls of one connection through dispatch. Each is authenticated by its own token, or else by that of
 * the connection, which is checked each time: a token that is revoked while the connection lasts is no longer
 * accepted.
 */
export function serveCalls(options: ServeOptions): Service {
  let forgetOffer = () => {};
  /** Cached anonymous entrance, one per gateway. */
  let anonymousEntrance: { readonly gateway: GatewayDispatch; readonly entrance: Entrance } | undefined;

  function enter(request: CallRequest, signal: AbortSignal): Entrance | Promise<Entrance> {
    options.onCall();
    if (options.isLeaving()) throw leaving();
    const loop = request.hops && refuseLoop(request.hops, options.nodeId);
    if (loop) throw loop;
    const token = request.authToken ?? options.token;
    const gateway = options.gateway();
    if (token !== undefined) return gateway.enter(token, signal);
    if (!options.anonymous()) throw needsToken();
    return anonymousEntrance?.gateway === gateway ? anonymousEntrance.entrance : enterAnonymously(gateway);
  }

  async function enterAnonymously(gateway: GatewayDispatch): Promise<Entrance> {
    anonymousEntrance = { gateway, entrance: await gateway.enter() };
    return anonymousEntrance.entrance;
  }

  /** A connection has one offer; one that was made by the connection's own token goes with the connection. */
  function rememberOffer({ authToken: token }: CallRequest, { identity }: Entrance): void {
    forgetOffer();
    options.onOffered();
    if (token !== undefined)
      forgetOffer = options.lasting.add({
        token,
        identity: { id: identity.id, scopes: [] },
        end: options.onOfferRevoked,
      });
  }

  function wireOf(request: CallRequest, signal: AbortSignal): WireCall {
    const { forwardedFor, deadlineMs, hops, traceparent, tracestate } = request;
    return {
      signal,
      connection: options.connection,
      forwardedFor,
      deadlineMs,
      trace: traceparent === undefined ? undefined : parseTrace(traceparent, tracestate),
      hops,
    };
  }

  return {
    async call(request, signal, report) {
      const entered = enter(request, signal);
      const entrance = entered instanceof Promise ? await entered : entered;
      if (request.authToken !== undefined) options.onProven(entrance.identity);
      const wire = named({ ...wireOf(request, signal), progress: report.progress }, report);
      const envelope = await entrance.call(callOf(request), wire);
      if (!("error" in envelope)) {
        if (isOffer(request)) rememberOffer(request, entrance);
        if (envelope.note !== undefined) report.noted(envelope.note);
        return envelope.output;
      }
      const { code, message, retryable, details } = envelope.error;
      throw new CallError(code, message, { retryable, details });
    },
    async subscribe(request, signal, report) {
      const entrance = await enter(request, signal);
      if (request.authToken !== undefined) options.onProven(entrance.identity);
      const { identity } = entrance;
      return abortableStream(
        (ended) => {
          const wire = wireOf(request, AbortSignal.any([signal, ended]));
          return entrance.subscribe(callOf(request), named(wire, report));
        },
        (end) => options.lasting.add({ token: request.authToken ?? options.token, identity, end }),
      );
    },
  };
}

/** Named before it begins, so that the answer has the id also where the call is cut off. */
function named(wire: WireCall, report: CallReport): NamedWireCall {
  const requestId = crypto.randomUUID();
  report.named(requestId);
  return { ...wire, requestId };
}

function isOffer({ operationId }: CallRequest): boolean {
  return normaliseName(operationId) === OFFER;
}

function callOf({ operationId, input, select }: CallRequest): Call {
  return { operation: operationId, input, select };
}

/** The refusal of a request, or of a connection, that came without a token where one is needed. */
export function needsToken(): CallError {
  return new CallError(
    "FORBIDDEN",
    "This gateway needs a token. Present one when the connection is opened, or as authToken of the request.",
  );
}

function leaving(): CallError {
  return new CallError("UNAVAILABLE", "This gateway is stopping. Connect again in a moment.");
}
