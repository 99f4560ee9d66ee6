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
  type UnknownRecord,
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

const INTEGER = /^-?\d{1,15}$/;

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
  readonly version: string;
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

/** Whether an address answers to a method; HEAD is a GET without the body. */
function permits({ methods }: Route, method: string): boolean {
  return methods.some((known) => known === (method === "HEAD" ? "GET" : method));
}

/** Value of the Allow header. */
function allowed({ methods }: Route): string {
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}

/**
 * The arguments in a query string: a repeated parameter is a list, and `limit` is a
 * number. The check against the contract refuses what does not fit.
 *
 *     readQuery("search", new URLSearchParams("query=send mail&limit=5")) // {query: "send mail", limit: 5}
 *     readQuery("schema", new URLSearchParams("name=a/b&name=c/d")) // {names: ["a/b", "c/d"]}
 */
export function readQuery(action: "search" | "schema", parameters: URLSearchParams): UnknownRecord {
  const lists = [...new Set(parameters.keys())].map((key) => [key, parameters.getAll(key)] as const);
  const { name = [], names = [], ...rest } = Object.fromEntries(lists);
  if (action === "schema") {
    const wanted = [...name, ...names];
    return { ...mapValues(rest, plain), ...(wanted.length > 0 && { names: wanted }) };
  }
  return mapValues(Object.fromEntries(lists), (values, key) =>
    key === "limit" ? numberIf(plain(values)) : plain(values),
  );
}

function plain(values: readonly string[]): unknown {
  return values.length === 1 ? values[0] : values;
}

function numberIf(value: unknown): unknown {
  return typeof value === "string" && INTEGER.test(value) ? Number(value) : value;
}

function mapValues(
  record: Readonly<Record<string, readonly string[]>>,
  change: (values: readonly string[], key: string) => unknown,
): UnknownRecord {
  return Object.fromEntries(Object.entries(record).map(([key, values]) => [key, change(values, key)]));
}
