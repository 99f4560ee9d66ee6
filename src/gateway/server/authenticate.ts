import {
  CallError,
  type Caller,
  type Entrance,
  type Middleware,
  parseTrace,
  type Readmission,
  type RootCall,
  type Trace,
} from "../../core/index.ts";
import { HTTP_PATHS } from "../../projections/to-openapi/index.ts";
import {
  type BearerChallenge,
  challengeText,
  METADATA_PATH,
  metadataOf,
  metadataUrlOf,
  needsIdentity,
  type ResourceOptions,
  scopesFor,
} from "./challenge.ts";
import { type Decoy, decoyTo } from "./decoy.ts";
import { notFound, onlyToGet, unauthorized, unavailable } from "./failures.ts";
import { routesUnder } from "./find-route.ts";
import { answerPreflight, createGuard, type GuardOptions, shareWithPage } from "./guard.ts";
import type { Serving } from "./serving.ts";

/** Options of authentication. */
export interface AuthenticationOptions extends GuardOptions, ResourceOptions {
  readonly serving: () => Serving;
  /** Answers callers without a valid token where one is needed, as if there were no gateway. */
  readonly decoy?: Decoy | undefined;
  /** The credential of a request; its bearer token by default. */
  readonly tokenOf?: (request: Request) => string | undefined;
}

/** An authenticated caller, and the configuration that authenticated it. */
export interface AuthenticatedCaller {
  readonly serving: Serving;
  readonly entrance: Entrance;
  /** For answers that last. */
  readonly readmission: Readmission;
}

type Answer = (request: Request, caller: AuthenticatedCaller) => Promise<Response>;

/** A refused call to an operation that the caller may know of. */
interface Forbidden {
  readonly operation: string;
  readonly caller: Caller;
}

/** Everything that happens to a request before a projection sees it, and to its refusals after. */
export function createAuthentication(options: AuthenticationOptions): {
  /** Host and origin → token → identity → the answer of this address; `isOpen`: also without a token. */
  authenticate(request: Request, answer: Answer, isOpen?: boolean): Promise<Response>;
  /** RFC 9728: where to get a token for an address of this gateway. */
  metadata(request: Request): Promise<Response>;
} {
  const guard = createGuard(options);
  const { tokenOf = bearerOf, decoy } = options;

  /** Host and origin, and what a browser must know about both. */
  async function guarded(
    request: Request,
    answer: (request: Request) => Response | Promise<Response>,
  ): Promise<Response> {
    const refused = guard(request);
    if (refused && decoy) return decoyTo(request, decoy);
    const early = refused ?? answerPreflight(request);
    return early ?? shareWithPage(request, await answer(request));
  }

  async function identified(request: Request, answer: Answer, isOpen: boolean): Promise<Response> {
    const serving = options.serving();
    const token = tokenOf(request);
    if (token === undefined && !serving.anonymous && !isOpen) {
      if (decoy) return decoyTo(request, decoy);
      return unauthorized(401, "This server needs a token.", challengeFor(request, serving, {}));
    }
    let entrance: Entrance;
    try {
      entrance = await serving.gateway.enter(token, request.signal);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.code !== "FORBIDDEN") return unavailable(error);
      if (decoy && !serving.anonymous) return decoyTo(request, decoy);
      const reason = { error: "invalid_token", description: error.message } as const;
      return unauthorized(401, error.message, challengeFor(request, serving, reason));
    }
    const readmission = { rules: options.serving, enter: () => enterAgain(token) };
    return challenged(request, { serving, entrance, readmission }, answer);
  }

  async function enterAgain(token: string | undefined): Promise<Entrance> {
    const { anonymous, gateway } = options.serving();
    if (token === undefined && !anonymous)
      throw new CallError("FORBIDDEN", "This server needs a token now. Subscribe again with one.");
    return gateway.enter(token);
  }

  /** Gives calls the trace of their request, and a refused caller the way to a better token. */
  async function challenged(
    request: Request,
    caller: AuthenticatedCaller,
    answer: Answer,
  ): Promise<Response> {
    const { serving, entrance } = caller;
    const { headers } = request;
    const traceparent = headers.get("traceparent");
    const trace = traceparent === null ? undefined : parseTrace(traceparent, headers.get("tracestate"));
    if (!trace && !serving.signIn) return answer(request, caller);
    let forbidden: Forbidden | undefined;
    const watched = watchCalls(trace, (call) => {
      forbidden = call;
    });
    const response = await answer(request, { ...caller, entrance: entrance.with(watched) });
    return forbidden ? withChallenge(response, request, { serving, forbidden }) : response;
  }

  /** Tells a caller how to get a token that helps; all others learn no more than before. */
  function withChallenge(
    response: Response,
    request: Request,
    { serving, forbidden }: { readonly serving: Serving; readonly forbidden: Forbidden },
  ): Response {
    if (!serving.signIn) return response;
    const { operation, caller } = forbidden;
    const isKnown = caller.identity.authenticated;
    const scopes = isKnown ? scopesFor(operation, caller, serving.signIn) : undefined;
    const helps = isKnown ? scopes !== undefined : needsIdentity(operation, caller, serving.signIn);
    if (!helps) return response;
    const challenge = challengeFor(request, serving, scopes ? { error: "insufficient_scope", scopes } : {});
    const status = isKnown ? 403 : 401;
    if (response.status === status) {
      response.headers.set("www-authenticate", challengeText(challenge));
      return response;
    }
    void response.body?.cancel().catch(() => {});
    const message = isKnown ? "This call needs more scopes." : "This call needs a token.";
    return unauthorized(status, message, challenge);
  }

  function challengeFor(request: Request, { signIn }: Serving, challenge: BearerChallenge): BearerChallenge {
    if (!signIn) return challenge;
    const { pathname } = new URL(request.url);
    return { ...challenge, metadataUrl: metadataUrlOf(request, pathname, options) };
  }

  /** Open to all, because clients that need it have no token yet. */
  async function answerMetadata(request: Request): Promise<Response> {
    const { signIn, anonymous, routes } = options.serving();
    if (decoy && !anonymous) return decoyTo(request, decoy);
    const path = new URL(request.url).pathname.slice(METADATA_PATH.length);
    if (!signIn || !(isServed(path) || routesUnder(routes, path).length > 0)) return notFound();
    if (request.method !== "GET" && request.method !== "HEAD") return onlyToGet("Metadata");
    return Response.json(metadataOf(request, path, { ...options, ...signIn }), {
      headers: { "cache-control": "max-age=60" },
    });
  }

  return {
    authenticate: (request, answer, isOpen = false) =>
      guarded(request, () => identified(request, answer, isOpen)),
    metadata: (request) => guarded(request, answerMetadata),
  };
}

/**
 * Watches the calls of one request, on any wire. A call without a trace of its own gets the trace of the request.
 * `onForbidden` is told of a refused call, but not of calls in a batch, which fail for themselves.
 */
function watchCalls(trace: Trace | undefined, onForbidden: (call: Forbidden) => void): Middleware {
  return (next, caller) => {
    async function watched<Answer>(
      operation: string,
      root: RootCall,
      run: (root: RootCall) => Promise<Answer>,
    ): Promise<Answer> {
      try {
        return await run({ ...root, trace: root.trace ?? trace });
      } catch (error) {
        const isForbidden = error instanceof CallError && error.code === "FORBIDDEN";
        if (isForbidden && root.parentRequestId === undefined) onForbidden({ operation, caller });
        throw error;
      }
    }
    return {
      invoke: (call, root = {}) => watched(call.operation, root, (traced) => next.invoke(call, traced)),
      invokeStreaming: (call, root = {}) =>
        watched(call.operation, root, (traced) => next.invokeStreaming(call, traced)),
    };
  };
}

/** True for paths that answer authenticated callers; others do not learn which these are. */
function isServed(path: string): boolean {
  return /^(?:|\/metrics|\/mcp(?:\/[^/]+)?)$/.test(path) || HTTP_PATHS.some((served) => served === path);
}

/** The credential as presented; anything but a bearer token is an unknown token. */
function bearerOf(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+)\s*$/i.exec(header)?.[1] ?? "";
}
