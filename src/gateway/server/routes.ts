import { CallError, type CallErrorJson, type FoundRoute, type Log, nameOfRoute } from "../../core/index.ts";
import { toErrorResponse } from "../../projections/to-openapi/index.ts";
import type { AuthenticatedCaller } from "./authenticate.ts";
import { BodyRefused, readBytes } from "./body.ts";
import { type Decoy, decoyTo } from "./decoy.ts";
import type { Routes } from "./find-route.ts";
import { openRecord } from "./route-record.ts";
import { runRoute } from "./run-route.ts";

/** A route, and what holds for all of them. */
interface RouteOptions extends FoundRoute {
  readonly routes: Routes;
  readonly maxBodyBytes: number;
  readonly decoy?: Decoy | undefined;
  readonly log: Log;
}

/** Answers a request at a route: limits → identity → body → handler, and one line in the audit. */
export async function answerRoute(
  request: Request,
  { serving, entrance }: AuthenticatedCaller,
  { route, source, routes, maxBodyBytes, decoy, log }: RouteOptions,
): Promise<Response> {
  const { identity } = entrance;
  const record = openRecord(request, { routes, name: nameOfRoute(route), source, principal: identity.id });
  const share = await entrance.reserve(request.signal);

  const failed = (error: CallErrorJson, requestId: string, status?: number): Response =>
    named(toErrorResponse(error, requestId, { identity }), requestId, status);

  async function refused(wrong: CallError, status?: number): Promise<Response> {
    const { error, requestId } = await share.entrance.refuse(wrong, request.signal);
    const lost = await record({ requestId, outcome: error.code, decision: "refused" });
    if (lost) return failed(lost.toJSON(), requestId);
    return failed(error, requestId, error.code === wrong.code ? status : undefined);
  }

  // Without identities all callers are on this machine, and may do what operators may.
  const mayEnter = route.public === true || identity.authenticated || !serving.identitiesConfigured;
  if (!mayEnter) {
    const refusal = await refused(new CallError("FORBIDDEN", "This address needs a token."));
    return decoy ? decoyTo(request, decoy) : refusal;
  }
  // What is answered are the words of the limits.
  if (share.isRefused) return refused(new CallError("RATE_LIMITED", "There were too many requests."));
  if (route.method !== "GET" && (identity.mutations ?? "allow") !== "allow")
    return refused(
      new CallError("FORBIDDEN", "This identity may change nothing, so only GET is open to it."),
    );
  try {
    routes.auditGate?.admit();
    const body = await readBytes(request, maxBodyBytes);
    const { requestId, ...ended } = await runRoute(request, {
      route,
      source,
      identity,
      body,
      routes,
      share,
      record,
      log,
    });
    return "error" in ended ? failed(ended.error.toJSON(), requestId) : named(ended.answer, requestId);
  } catch (error) {
    if (error instanceof BodyRefused)
      return refused(new CallError("INVALID_INPUT", error.message), error.status);
    if (error instanceof CallError) return refused(error);
    share.release();
    throw error;
  }
}

function named({ body, status, statusText, headers }: Response, requestId: string, other = status): Response {
  const response = new Response(body, { status: other, statusText, headers });
  response.headers.set("x-request-id", requestId);
  return response;
}
