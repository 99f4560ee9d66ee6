import { type ActionName, checkArguments, httpStatusOf, runAction } from "../../contract/index.ts";
import {
  type BatchEnvelope,
  type Call,
  CallError,
  type CallErrorJson,
  type Caller,
  createView,
  type Entrance,
  type Envelope,
  type ErrorDefinition,
  type Identity,
  isRecord,
  normaliseName,
  type Registry,
  type SchemaValidator,
} from "../../core/index.ts";
import { toDocument } from "./document.ts";
import { toEventStream } from "./event-stream.ts";
import { readQuery } from "./query.ts";

/** The action of an address, and its methods. */
interface Route {
  readonly methods: readonly ("GET" | "POST")[];
  readonly action: ActionName | "document";
}

/** The addresses of the plain HTTP side. */
export const ROUTES = {
  "/search": { methods: ["GET", "POST"], action: "search" },
  "/schema": { methods: ["GET", "POST"], action: "schema" },
  "/call": { methods: ["POST"], action: "call" },
  "/batch": { methods: ["POST"], action: "batch" },
  "/subscribe": { methods: ["POST"], action: "subscribe" },
  "/openapi.json": { methods: ["GET"], action: "document" },
} as const satisfies Record<string, Route>;

/** An address of the plain HTTP side. */
export type HttpPath = keyof typeof ROUTES;

/** All addresses, for the server that mounts the projection. */
export const HTTP_PATHS = Object.keys(ROUTES) as readonly HttpPath[];

/** Options of the projection. */
interface HttpProjectionOptions {
  readonly registry: Registry;
  readonly validator: SchemaValidator;
  /** Silence after which a subscription sends a heartbeat. */
  readonly heartbeatMs: number;
}

/** An authenticated caller, and what it asks for. */
interface HttpCaller {
  readonly path: HttpPath;
  readonly entrance: Entrance;
  /** Parsed; undefined where there is none, or none in JSON. */
  readonly body: unknown;
}

/** The gateway as plain HTTP: `/search`, `/schema`, `/call`, `/batch`, `/subscribe` and their document. */
export interface HttpProjection {
  fetch(request: Request, caller: HttpCaller): Promise<Response>;
}

/** Shows the registry as a few addresses with JSON bodies. */
export function createHttpProjection(options: HttpProjectionOptions): HttpProjection {
  const { registry, validator, heartbeatMs } = options;

  async function answer(action: ActionName, request: Request, caller: HttpCaller): Promise<Response> {
    const { entrance } = caller;
    const given = await argumentsOf(action, request, caller);
    if (given instanceof Response) return given;
    const frame: ErrorFrame = { identity: entrance.identity };
    try {
      const written = checkArguments(action, given, validator);
      const { signal } = request;
      if (action === "subscribe") return await subscribe(written as unknown as Call, entrance, signal);
      const answer = await runAction(entrance, { name: action, written }, { signal });
      if (action !== "call" && "output" in answer) return toServiceResponse(answer, frame);
      return toResponse(answer, action === "call" ? frameOf(written as unknown as Call, entrance) : frame);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const refusal = await entrance.refuse(error, request.signal);
      return toErrorResponse(refusal.error, refusal.requestId, frame);
    }
  }

  /** A refused call has a status; once the stream runs, a failure is an event in it. */
  async function subscribe(call: Call, entrance: Entrance, signal: AbortSignal): Promise<Response> {
    const requestId = crypto.randomUUID();
    try {
      const items = await entrance.subscribe(call, { signal, requestId });
      return new Response(toEventStream(items, { heartbeatMs }), {
        headers: {
          "content-type": "text/event-stream",
          "cache-control": "no-cache, no-transform",
          "x-accel-buffering": "no",
          "x-request-id": requestId,
        },
      });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return toErrorResponse(error.toJSON(), requestId, frameOf(call, entrance));
    }
  }

  async function document({ signal }: Request, { entrance }: HttpCaller): Promise<Response> {
    const { anonymous } = registry.snapshot().policy;
    try {
      return await entrance.look(() => toJson(toDocument({ anonymous })), signal);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return toErrorResponse(error.toJSON(), crypto.randomUUID(), { identity: entrance.identity });
    }
  }

  function frameOf({ operation }: Call, { identity, caller }: Entrance): ErrorFrame {
    return { identity, declared: () => declaredBy(operation, caller) };
  }

  /** Nothing of an operation that the caller does not see, not even a status. */
  function declaredBy(operation: string, caller: Caller): readonly ErrorDefinition[] {
    const found = createView(registry.snapshot(), caller).look(normaliseName(operation));
    return found?.sight === "open" ? found.entry.registration.spec.errors : [];
  }

  return {
    async fetch(request, caller) {
      const route: Route = ROUTES[caller.path];
      if (!permits(route, request.method)) return wrongMethod(caller, route);
      if (route.action !== "document") return answer(route.action, request, caller);
      return document(request, caller);
    },
  };
}

/** The arguments in the query or in the body; or the refusal. */
function argumentsOf(action: ActionName, request: Request, { body, entrance }: HttpCaller): unknown {
  if ((action === "search" || action === "schema") && request.method !== "POST") {
    return readQuery(action, new URL(request.url).searchParams);
  }
  if (body === undefined) {
    return refuse(entrance, 415, {
      message: "Send the arguments as JSON, with content-type: application/json.",
    });
  }
  if (isRecord(body)) return body;
  return refuse(entrance, 422, {
    message: `The body of ${action} is one JSON object. /openapi.json shows it.`,
  });
}

function wrongMethod({ path, entrance }: HttpCaller, route: Route): Promise<Response> {
  const allow = allowed(route);
  return refuse(entrance, 405, { message: `${path} answers to ${allow}.`, headers: { allow } });
}

/** True if an address answers to a method; HEAD is a GET without the body. */
function permits({ methods }: Route, method: string): boolean {
  return methods.some((known) => known === (method === "HEAD" ? "GET" : method));
}

/** Value of the Allow header. */
function allowed({ methods }: Route): string {
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}

const JSON_HEADERS = { "content-type": "application/json" } as const;

/** Facts besides its code that an error's status depends on. */
export interface ErrorFrame {
  readonly identity: Identity;
  /** The codes that the called operation declares, as far as the caller may know of it. */
  readonly declared?: (() => readonly ErrorDefinition[]) | undefined;
}

/** An answer in JSON. */
export function toJson(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_HEADERS, ...headers } });
}

/** The answer to `call` and `batch`: the envelope as it is. */
export function toResponse(envelope: Envelope | BatchEnvelope, frame: ErrorFrame): Response {
  if ("error" in envelope) return toErrorResponse(envelope.error, envelope.requestId, frame);
  return toJson(envelope);
}

/** The answer to `search` and `schema`: the output itself is the shape of the contract. */
export function toServiceResponse(envelope: Envelope, frame: ErrorFrame): Response {
  if ("error" in envelope) return toErrorResponse(envelope.error, envelope.requestId, frame);
  return toJson({ ...(envelope.output as object), requestId: envelope.requestId });
}

/** A failure, with the status that its code has and the headers that go with it. */
export function toErrorResponse(error: CallErrorJson, requestId: string, frame: ErrorFrame): Response {
  const status = statusOf(error, frame);
  return toJson({ error, requestId }, status, { ...challengeOf(error, frame), ...retryAfterOf(error) });
}

/** The refusal of a request that never became a call; over the limits it is that refusal instead. */
export async function refuse(
  entrance: Pick<Entrance, "identity" | "refuse">,
  status: number,
  {
    message,
    headers = {},
  }: { readonly message: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const code = status === 405 ? "INVALID_OPERATION_TYPE" : "INVALID_INPUT";
  const refusal = await entrance.refuse(new CallError(code, message));
  if (refusal.error.code !== code) return toErrorResponse(refusal.error, refusal.requestId, entrance);
  return toJson(refusal, status, headers);
}

/** A declared status below 400 would make an error look like a success. */
function statusOf(error: CallErrorJson, { identity, declared }: ErrorFrame): number {
  const status = httpStatusOf(error, identity, declared?.());
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500;
}

/** RFC 6750, section 3: no error where no token was presented. */
function challengeOf({ code }: CallErrorJson, { identity }: ErrorFrame): Record<string, string> {
  if (code !== "FORBIDDEN") return {};
  const reason = identity.authenticated ? ', error="insufficient_scope"' : "";
  return { "www-authenticate": `Bearer realm="pinhole"${reason}` };
}

function retryAfterOf({ retryable, details }: CallErrorJson): Record<string, string> {
  if (!retryable || !isRecord(details)) return {};
  const { retryAfterMs } = details;
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0) || !Number.isFinite(retryAfterMs)) return {};
  return { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
}
