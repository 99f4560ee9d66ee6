import {
  CallError,
  type Caller,
  type Entrance,
  type GatewayDispatch,
  parseTrace,
  type Readmission,
} from "../../core/index.ts";
import { HTTP_PATHS } from "../../projections/to-openapi/index.ts";
import { type Challenge, challengeText, needsIdentity, type StepUp, scopesFor } from "./challenge.ts";
import { answerPreflight, shareWithPage } from "./cors.ts";
import { notFound, onlyToGet, unauthorized, unavailable } from "./failures.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import {
  METADATA_PATH,
  metadataOf,
  metadataUrlOf,
  type ResourceOptions,
  type TokenGivers,
} from "./resource.ts";
import { watchCalls } from "./watch-calls.ts";

/** Rules of authentication in force. */
export interface Admission {
  readonly gateway: GatewayDispatch;
  /** False: callers without a token are refused here. */
  readonly anonymous: boolean;
  /** Issuers of tokens, if any: callers without a token or with too few scopes are told of them. */
  readonly signIn?: (TokenGivers & StepUp) | undefined;
}

/** Options of a door. */
export interface DoorOptions<Serving extends Admission> extends GuardOptions, ResourceOptions {
  readonly serving: () => Serving;
}

/** An authenticated caller, and the configuration that it came in by. */
export interface Visit<Serving extends Admission> {
  readonly serving: Serving;
  readonly entrance: Entrance;
  /** For answers that last. */
  readonly readmission: Readmission;
}

/** Answers an authenticated caller. */
export type Answer<Serving extends Admission> = (
  request: Request,
  visit: Visit<Serving>,
) => Promise<Response>;

/** What every request passes. */
export interface Door<Serving extends Admission> {
  /** Host and origin → token → identity → the answer of this address. */
  authenticate(request: Request, answer: Answer<Serving>): Promise<Response>;
  /** RFC 9728: where to get a token for an address of this gateway. */
  metadata(request: Request): Promise<Response>;
}

/** A refused call to an operation that the caller may know of. */
interface Refused {
  readonly operation: string;
  readonly caller: Caller;
}

/** The door of the gateway: all that happens before a projection sees a request, and to its refusals after. */
export function createDoor<Serving extends Admission>(options: DoorOptions<Serving>): Door<Serving> {
  const guard = createGuard(options);

  /** Host and origin, and what a browser must know about both. */
  async function guarded(
    request: Request,
    answer: (request: Request) => Response | Promise<Response>,
  ): Promise<Response> {
    const early = guard(request) ?? answerPreflight(request);
    return early ?? shareWithPage(request, await answer(request));
  }

  async function identified(request: Request, answer: Answer<Serving>): Promise<Response> {
    const serving = options.serving();
    const token = bearerOf(request);
    if (token === undefined && !serving.anonymous) {
      return unauthorized(401, "This server needs a token.", challengeFor(request, serving, {}));
    }
    let entrance: Entrance;
    try {
      entrance = await serving.gateway.enter(token, request.signal);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.code !== "FORBIDDEN") return unavailable(error);
      const reason = { error: "invalid_token", description: error.message } as const;
      return unauthorized(401, error.message, challengeFor(request, serving, reason));
    }
    const readmission = { rules: options.serving, enter: () => readmit(token) };
    return watched(request, { serving, entrance, readmission }, answer);
  }

  async function readmit(token: string | undefined): Promise<Entrance> {
    const { anonymous, gateway } = options.serving();
    if (token === undefined && !anonymous)
      throw new CallError("FORBIDDEN", "This server needs a token now. Subscribe again with one.");
    return gateway.enter(token);
  }

  /** What the request says beside its body, and what its caller can do about a refusal. */
  async function watched(
    request: Request,
    visit: Visit<Serving>,
    answer: Answer<Serving>,
  ): Promise<Response> {
    const { serving, entrance } = visit;
    const { headers } = request;
    const trace = parseTrace(headers.get("traceparent"), headers.get("tracestate"));
    if (!trace && !serving.signIn) return answer(request, visit);
    let refused: Refused | undefined;
    const onForbidden = (operation: string, caller: Caller) => {
      refused = { operation, caller };
    };
    const response = await answer(request, {
      ...visit,
      entrance: entrance.with(watchCalls({ trace, onForbidden })),
    });
    // A stream begins before its call is decided on; a refusal is decided within this turn, as nothing has run.
    if (!refused && serving.signIn && isEventStream(response)) await new Promise(setImmediate);
    return refused ? withChallenge(response, request, { serving, refused }) : response;
  }

  /** Tells a caller how to get a token that helps; all others learn no more than before. */
  function withChallenge(
    response: Response,
    request: Request,
    { serving, refused: { operation, caller } }: { readonly serving: Admission; readonly refused: Refused },
  ): Response {
    if (!serving.signIn) return response;
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

  function challengeFor(request: Request, { signIn }: Admission, challenge: Challenge): Challenge {
    if (!signIn) return challenge;
    const { pathname } = new URL(request.url);
    return { ...challenge, metadataUrl: metadataUrlOf(request, pathname, options) };
  }

  /** Open to all, because clients that need it have no token yet. */
  function answerMetadata(request: Request): Response {
    const { signIn } = options.serving();
    const path = new URL(request.url).pathname.slice(METADATA_PATH.length);
    if (!signIn || !isServed(path)) return notFound();
    if (request.method !== "GET" && request.method !== "HEAD") return onlyToGet("Metadata");
    return Response.json(metadataOf(request, path, { ...options, ...signIn }), {
      headers: { "cache-control": "max-age=60" },
    });
  }

  return {
    authenticate: (request, answer) => guarded(request, () => identified(request, answer)),
    metadata: (request) => guarded(request, answerMetadata),
  };
}

/** Whether something answers there for authenticated callers; others do not learn what. */
function isServed(path: string): boolean {
  return /^(?:|\/metrics|\/mcp(?:\/[^/]+)?)$/.test(path) || HTTP_PATHS.some((served) => served === path);
}

function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** The credential as presented; anything but a bearer token is an unknown token. */
function bearerOf(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return undefined;
  return /^bearer +(\S+)\s*$/i.exec(header)?.[1] ?? "";
}
