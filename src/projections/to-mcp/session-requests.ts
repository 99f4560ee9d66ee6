import {
  type AuthInfo,
  isInitializeRequest,
  isLegacyRequest,
  type McpServerFactory,
  type RequestId,
} from "@modelcontextprotocol/server";
import { ANONYMOUS, type Entrance, isRecord, type UnknownRecord } from "../../core/index.ts";
import type { McpCaller } from "./caller.ts";
import type { Listed, Listeners } from "./listeners.ts";
import { cancelledBy, isCancel, SessionExchange } from "./session-exchange.ts";
import { createSessionIds, type Session } from "./session-ids.ts";
import { openChangeStream } from "./session-stream.ts";
import type { Sessions } from "./sessions.ts";
import { onceRead } from "./streamed-answers.ts";

const HEADER = "mcp-session-id";
/** Messages of a batch of 2025-03-26, as the SDK bounds them. */
const MAX_BATCH = 100;

/** Options of sessions. */
export interface SessionOptions {
  /** Signs the ids; replicas share it. */
  readonly key: Uint8Array;
  /** The endpoint that ids are good for. */
  readonly endpoint: string;
  readonly sessions: Sessions;
  /** Streams, and open questions, that a caller without a limit of its own may have at the same time. */
  readonly most: number;
}

/** Answers the requests of clients of revisions before 2026-07-28, which have sessions. */
interface SessionRequests {
  /** Hands over what belongs to a call that runs in this process: a cancel, or the answer to a question. */
  deliver(request: Request, caller: McpCaller): Response | undefined;
  /** Undefined for a request without a session. */
  fetch(request: Request, caller: McpCaller, authInfo: AuthInfo): Promise<Response | undefined>;
  /** Begins a session with the response to the request that asks for one. */
  begin(response: Response, caller: McpCaller): Response;
}

/** Builds the sessions of an endpoint. */
export function createSessionRequests(
  factory: McpServerFactory,
  {
    key,
    endpoint,
    sessions,
    most,
    listeners,
    listed,
    keepAliveMs,
  }: SessionOptions & {
    readonly listeners: Listeners;
    readonly listed: Listed;
    readonly keepAliveMs: number;
  },
): SessionRequests {
  const ids = createSessionIds(key, endpoint);

  function sessionOf({ headers }: Request, { identity }: Entrance): Session | undefined {
    const id = headers.get(HEADER) ?? "";
    const session =
      ids.read(id, identity.id) ?? (identity.authenticated ? signedIn(id, identity.id) : undefined);
    return session && !sessions.hasEnded(session) ? session : undefined;
  }

  /**
   * A client that was sent to sign in continues with the id it was given before it had a token. From then on it is a
   * session of its principal: under a number of its own, so that nothing reaches what others run with the same id.
   */
  function signedIn(id: string, principal: string): Session | undefined {
    const session = ids.read(id, ANONYMOUS.id);
    return session && { ...session, principal, number: `${session.number} ${principal}` };
  }

  function listen(request: Request, caller: McpCaller, session: Session): Response {
    if (!request.headers.get("accept")?.includes("text/event-stream"))
      return refusal(406, -32000, "This is a stream of events. Accept text/event-stream.");
    if (!listeners.hasRoomFor(caller.entrance, most))
      return refusal(429, -32000, "Too many streams of this caller are open. Close one, then try again.");
    let leave = () => {};
    const stream = openChangeStream(caller, { listeners, listed, keepAliveMs, onEnd: () => leave() });
    leave = sessions.add(session, { listens: true, deliver: () => false, close: stream.close });
    return stream.response;
  }

  async function exchange(
    request: Request,
    { entrance, body, authInfo }: Omit<McpCaller, "readmission"> & { readonly authInfo: AuthInfo },
    session: Session,
  ): Promise<Response> {
    const { connections = most } = entrance.identity.limits ?? {};
    const transport = new SessionExchange({
      keepAliveMs,
      requests: requestsIn(body),
      ask: () => sessions.ask(session, connections),
    });
    const server = await factory({ era: "legacy", authInfo, requestInfo: request });
    await server.connect(transport);
    const leave = sessions.add(session, transport);
    const end = () => {
      leave();
      void server.close().catch(() => {});
    };
    request.signal.addEventListener("abort", end, { once: true });
    try {
      if (Object.keys(session.capabilities).length > 0) await transport.introduce(session);
      return onceRead(await transport.handleRequest(request, { authInfo, parsedBody: body }), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  function post(
    request: Request,
    caller: McpCaller & { readonly authInfo: AuthInfo },
    session: Session,
  ): Response | Promise<Response> {
    const { about, rest } = sorted(caller.body);
    for (const message of about) {
      if (!sessions.deliver(session, message)) sessions.forward(session, message);
    }
    if (about.length === 0) return exchange(request, caller, session);
    return rest.length === 0 ? accepted() : exchange(request, { ...caller, body: rest }, session);
  }

  return {
    deliver(request, { entrance, body }) {
      if (request.method !== "POST" || !request.headers.has(HEADER)) return undefined;
      const { about, rest } = sorted(body);
      if (about.length === 0 || rest.length > 0) return undefined;
      const session = sessionOf(request, entrance);
      const delivered = session && about.filter((message) => sessions.deliver(session, message));
      return delivered?.length === about.length ? accepted() : undefined;
    },

    async fetch(request, caller, authInfo) {
      const { body, entrance } = caller;
      if (!request.headers.has(HEADER) || initializes(body)) return undefined;
      // 2026-07-28 has no sessions: there the header means nothing.
      if (!(await isLegacyRequest(request, body))) return undefined;
      const session = sessionOf(request, entrance);
      if (!session) return refusal(404, -32001, "This session is not known here. Initialize again.");
      switch (request.method) {
        case "GET":
          return listen(request, caller, session);
        case "DELETE":
          sessions.end(session);
          return new Response(null, { status: 204 });
        case "POST":
          return post(
            request,
            { ...caller, authInfo: { ...authInfo, extra: { ...authInfo.extra, session } } },
            session,
          );
        default:
          return undefined;
      }
    },

    begin(response, { entrance, body }) {
      if (!initializes(body) || !response.ok || !isInitializeRequest(body)) return response;
      response.headers.set(HEADER, ids.issue(entrance.identity.id, body.params));
      return response;
    },
  };
}

function initializes(body: unknown): boolean {
  return isRecord(body) && body.method === "initialize";
}

/** Tells what belongs to calls of other requests from all else. A batch that the SDK refuses for its size is left to it. */
function sorted(body: unknown): {
  readonly about: readonly UnknownRecord[];
  readonly rest: readonly unknown[];
} {
  const messages = [body].flat();
  if (messages.length > MAX_BATCH) return { about: [], rest: messages };
  const own = requestsIn(body);
  const isAboutOther = (message: unknown): message is UnknownRecord =>
    isRecord(message) && (isAnswer(message) || (isCancel(message) && !own.includes(cancelledBy(message))));
  return {
    about: messages.filter(isAboutOther),
    rest: messages.filter((message) => !isAboutOther(message)),
  };
}

function isAnswer({ method, result, error }: UnknownRecord): boolean {
  return method === undefined && (result !== undefined || error !== undefined);
}

function requestsIn(body: unknown): readonly RequestId[] {
  return [body].flat().flatMap((each) => (isRecord(each) && "id" in each ? [each.id as RequestId] : []));
}

function accepted(): Response {
  return new Response(null, { status: 202 });
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
