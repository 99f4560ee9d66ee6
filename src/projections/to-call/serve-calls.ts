import {
  type Call,
  CallError,
  type Entrance,
  type GatewayDispatch,
  normaliseName,
  parseTrace,
  type WireCall,
} from "../../core/index.ts";
import { type CallRequest, refuseLoop, type Service } from "../../protocol/index.ts";
import { OwnTokens } from "./own-tokens.ts";

/** What this does lasts as long as the connection. */
const OFFER = "services/offer";

/** What serving one connection is made of. */
export interface ServeOptions {
  readonly gateway: () => GatewayDispatch;
  /** False: whoever presents no token is refused. */
  readonly anonymous: () => boolean;
  /** The id of this node, as it stands in the `hops` of calls that it handed on. */
  readonly nodeId: string;
  /** The id of the connection. */
  readonly connection: string;
  /** What whoever opened the connection presented. */
  readonly token: string | undefined;
  /** Told of each call that comes in. */
  readonly onCall: () => void;
  /** Told when the token is known no more by which a request, not the connection, has offered operations. */
  readonly onOfferRevoked: () => void;
  /** True once no new calls are taken. */
  readonly isLeaving: () => boolean;
}

/** Who answers the calls of one connection. */
export interface ServedCalls extends Service {
  /** Ends what requests have begun by tokens of their own that are known no more. */
  recheck(isKnown: (token: string) => Promise<boolean>): Promise<void>;
}

/**
 * Runs the calls of one connection through dispatch. Each is let in by its own token, or else by that of
 * the connection, which is looked at again each time: a token that is revoked while the connection lasts
 * opens nothing any more.
 */
export function serveCalls(options: ServeOptions): ServedCalls {
  const ownTokens = new OwnTokens();
  let forgetOffer = () => {};
  /** Nobody in particular is the same nobody each time, as long as the gateway is the same. */
  let nobody: { readonly gateway: GatewayDispatch; readonly entrance: Entrance } | undefined;

  function enter(request: CallRequest, signal: AbortSignal): Entrance | Promise<Entrance> {
    options.onCall();
    if (options.isLeaving()) throw leaving();
    const loop = request.hops && refuseLoop(request.hops, options.nodeId);
    if (loop) throw loop;
    const token = request.authToken ?? options.token;
    const gateway = options.gateway();
    if (token !== undefined) return gateway.enter(token, signal);
    if (!options.anonymous()) throw needsToken();
    return nobody?.gateway === gateway ? nobody.entrance : enterAsNobody(gateway);
  }

  async function enterAsNobody(gateway: GatewayDispatch): Promise<Entrance> {
    nobody = { gateway, entrance: await gateway.enter() };
    return nobody.entrance;
  }

  /** A connection has one offer, and the token of the connection is looked after as long as that lasts. */
  function rememberOffer({ authToken }: CallRequest): void {
    forgetOffer();
    if (authToken !== undefined) forgetOffer = ownTokens.add(authToken, options.onOfferRevoked);
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
    async call(request, signal) {
      const entered = enter(request, signal);
      const entrance = entered instanceof Promise ? await entered : entered;
      const envelope = await entrance.call(callOf(request), wireOf(request, signal));
      if (!("error" in envelope)) {
        if (isOffer(request)) rememberOffer(request);
        return envelope.output;
      }
      const { code, message, retryable, details } = envelope.error;
      throw new CallError(code, message, { retryable, details });
    },
    async subscribe(request, signal) {
      const entrance = await enter(request, signal);
      const { authToken } = request;
      if (authToken === undefined) return entrance.subscribe(callOf(request), wireOf(request, signal));
      return ownTokens.hold(authToken, (revoked) =>
        entrance.subscribe(callOf(request), wireOf(request, AbortSignal.any([signal, revoked]))),
      );
    },
    recheck: (isKnown) => ownTokens.recheck(isKnown),
  };
}

function isOffer({ operationId }: CallRequest): boolean {
  return normaliseName(operationId) === OFFER;
}

function callOf({ operationId, input, select }: CallRequest): Call {
  return { operation: operationId, input, select };
}

function needsToken(): CallError {
  return new CallError(
    "FORBIDDEN",
    "This gateway needs a token. Present one when the connection is opened, or as authToken of the request.",
  );
}

function leaving(): CallError {
  return new CallError("UNAVAILABLE", "This gateway is stopping. Connect again in a moment.");
}
