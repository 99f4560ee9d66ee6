import { type AuditEntry, type CallError, parseTrace } from "../../core/index.ts";
import type { Routes } from "./find-route.ts";

/** How a request to a route ended. */
type Ending = Pick<AuditEntry, "requestId" | "decision" | "outcome"> &
  Partial<Pick<AuditEntry, "inputBytes" | "outputBytes">>;

/** Writes the one line of a request into the audit; answers the error where a line is required and cannot be kept. */
export type WriteRecord = (ending: Ending) => Promise<CallError | undefined>;

/** Begins the record of a request to a route. */
export function openRecord(
  { headers }: Request,
  about: {
    readonly routes: Routes;
    readonly name: string;
    readonly source: string;
    readonly principal: string;
  },
): WriteRecord {
  const { routes, name, source, principal } = about;
  const startedAt = Date.now();
  const begunAt = performance.now();
  const traceparent = headers.get("traceparent");
  const trace = traceparent === null ? undefined : parseTrace(traceparent, headers.get("tracestate"));
  return async (ending) => {
    const entry = {
      parentRequestId: undefined,
      composed: false,
      remoteRequestId: undefined,
      principal,
      identity: principal,
      forwardedFor: undefined,
      operation: `route ${name}`,
      namespace: source,
      startedAt,
      milliseconds: Math.round(performance.now() - begunAt),
      inputBytes: 0,
      outputBytes: 0,
      traceparent: trace?.traceparent,
      span: undefined,
      ...ending,
    };
    routes.audit(entry, { input: undefined, output: undefined });
    return routes.auditGate?.written().then(
      () => undefined,
      (lost: CallError) => lost,
    );
  };
}
