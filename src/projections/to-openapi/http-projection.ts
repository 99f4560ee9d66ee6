import { type ActionName, checkArguments, runAction } from "../../contract/index.ts";
import {
  type Call,
  CallError,
  type Caller,
  createView,
  type Entrance,
  type ErrorDefinition,
  isRecord,
  normaliseName,
  type Registry,
  type SchemaValidator,
} from "../../core/index.ts";
import {
  type ErrorFrame,
  refuse,
  toErrorResponse,
  toJson,
  toResponse,
  toServiceResponse,
} from "./answers.ts";
import { toDocument } from "./document.ts";
import { toEventStream } from "./event-stream.ts";
import { readQuery } from "./read-query.ts";
import { allowed, type HttpPath, permits, ROUTES, type Route } from "./routes.ts";

/** Options of the projection. */
export interface HttpProjectionOptions {
  readonly registry: Registry;
  readonly validator: SchemaValidator;
  readonly version: string;
  /** After how long a silence a subscription shows that it lives. */
  readonly heartbeatMs: number;
}

/** A caller that has been let in, and what it asks for. */
export interface HttpCaller {
  readonly path: HttpPath;
  readonly entrance: Entrance;
  /** Parsed already; undefined where there is none, or none in JSON. */
  readonly body: unknown;
}

/** The gateway as plain HTTP: `/search`, `/schema`, `/call`, `/batch`, `/subscribe` and their document. */
export interface HttpProjection {
  fetch(request: Request, caller: HttpCaller): Promise<Response>;
}

/** Shows the registry as a few addresses with JSON bodies. */
export function createHttpProjection(options: HttpProjectionOptions): HttpProjection {
  const { registry, validator, version, heartbeatMs } = options;

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

  /** What is wrong with the call itself has a status; once the stream runs, a failure is an event in it. */
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
      return await entrance.look(() => toJson(toDocument({ version, anonymous })), signal);
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

/** What the caller wrote, in the query or in the body; or why it cannot be read. */
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
