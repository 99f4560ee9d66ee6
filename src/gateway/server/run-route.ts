import {
  CallError,
  type FoundRoute,
  type Identity,
  Lifetime,
  type Log,
  messageOf,
  nameOfRoute,
  type OperationLog,
  RunningHandlers,
  releaseWhenEnded,
} from "../../core/index.ts";
import type { Routes } from "./find-route.ts";
import { followBody } from "./follow-body.ts";
import type { WriteRecord } from "./route-record.ts";

/** A request that has been admitted. */
interface Admitted extends FoundRoute {
  readonly identity: Identity;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly routes: Routes;
  /** The share of the caller's limits. */
  readonly share: { release(): void };
  readonly record: WriteRecord;
  readonly log: Log;
}

type Ended = { readonly requestId: string } & ({ readonly answer: Response } | { readonly error: CallError });

/** Runs the handler of a route, until its answer has gone out, its caller has left or its deadline has passed. */
export async function runRoute(request: Request, admitted: Admitted): Promise<Ended> {
  const { route, source, identity, body, routes, share, record, log } = admitted;
  const requestId = crypto.randomUUID();
  const facts = { source, route: nameOfRoute(route), requestId };
  const lifetime = new Lifetime({
    signals: [request.signal],
    deadline: performance.now() + routes.deadlineMs,
  });
  const { signal } = lifetime;
  const handlers = new RunningHandlers();
  const inputBytes = body.byteLength;

  async function handled(): Promise<Response> {
    const given = new Request(request.url, {
      method: request.method,
      headers: withoutToken(request.headers),
      signal,
      ...(inputBytes > 0 && { body }),
    });
    const context = { requestId, identity, signal, log: logOf(log, facts) };
    const work = (async () => route.handler(given, context))();
    handlers.add(work);
    const answer = await lifetime.within(work);
    if (!(answer instanceof Response))
      throw new TypeError("The handler answered with something else than a Response.");
    if (answer.body && request.method !== "HEAD")
      return new Response(
        followBody(answer.body, { signal, abort: () => lifetime.abort(), toError, end }),
        answer,
      );
    void answer.body?.cancel().catch(() => {});
    return new Response(null, answer);
  }

  /** Ends the request; its share of the limits lasts until the handler has ended as well. */
  async function end(outputBytes: number, error?: CallError): Promise<CallError | undefined> {
    lifetime.end();
    const warn = () => log.warn("A handler still runs a minute after its request ended", facts);
    releaseWhenEnded(handlers, share.release, warn);
    const outcome = error?.code ?? "ok";
    const lost = await record({ requestId, outcome, decision: "allowed", inputBytes, outputBytes });
    return lost ?? error;
  }

  /** Callers learn nothing of what a handler threw. */
  function toError(thrown: unknown): CallError {
    if (lifetime.cutBy) return lifetime.cutBy;
    const text = (thrown instanceof Error && thrown.stack) || messageOf(thrown);
    log.error("The handler of a route failed", { ...facts, error: text });
    return new CallError("INTERNAL", `The request failed. Tell the operator its id: ${requestId}.`);
  }

  let answer: Response;
  try {
    answer = await handled();
  } catch (thrown) {
    const error = toError(thrown);
    return { requestId, error: (await end(0, error)) ?? error };
  }
  const lost = answer.body ? undefined : await end(0);
  return lost ? { requestId, error: lost } : { requestId, answer };
}

/** The token is the caller's; a handler has the identity instead. */
function withoutToken(headers: Headers): Headers {
  const rest = new Headers(headers);
  rest.delete("authorization");
  return rest;
}

function logOf(log: Log, facts: Readonly<Record<string, string>>): OperationLog {
  return {
    debug: (message, fields) => log.debug?.(message, { ...fields, ...facts }),
    info: (message, fields) => log.info?.(message, { ...fields, ...facts }),
    warn: (message, fields) => log.warn(message, { ...fields, ...facts }),
    error: (message, fields) => log.error(message, { ...fields, ...facts }),
  };
}
