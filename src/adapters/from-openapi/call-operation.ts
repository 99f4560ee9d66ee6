import {
  CallError,
  type Handler,
  type OnceHandler,
  type OperationContext,
  parseJson,
  type StreamHandler,
  timeLeft,
} from "../../core/index.ts";
import type { ClientCredentials } from "../../credentials/index.ts";
import {
  type ApiOperation,
  EventTooLarge,
  mediaKindOf,
  readEvents,
  type ServerEvent,
} from "../../formats/index.ts";
import { type Outbound, OutboundError, type OutboundResponse, toCallError } from "../../outbound/index.ts";
import { type CallFacts, errorOf, outputOf } from "./answer.ts";
import { authorise } from "./authorise.ts";
import { headersOf, type RequestParts, toRequest, urlOf } from "./request.ts";

/** The error of a stream that reports a failure. */
export const STREAM_ERROR = Object.freeze({
  code: "STREAM_ERROR",
  description: "The stream ended with an event named error; its data is in details.data.",
  httpStatus: 502,
});

/** The API of a source, as its handlers call it. */
export interface Api {
  readonly outbound: Pick<Outbound, "send">;
  readonly clientCredentials: ClientCredentials;
  readonly allowClear: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** One operation and the server that it is called at. */
interface CallTarget {
  /** With its namespace. */
  readonly name: string;
  readonly operation: ApiOperation;
  /** Items of a stream are whole events, not their data alone. */
  readonly wholeEvents: boolean;
  /** An absolute address; undefined if none is known. */
  readonly server: string | undefined;
}

/** Idempotent methods (RFC 9110, section 9.2.2). */
const IDEMPOTENT: readonly string[] = ["GET", "HEAD", "QUERY", "OPTIONS", "PUT", "DELETE"];
/** The end of a stream of completions. */
const DONE = "[DONE]";
/** The name of events that have none (WHATWG HTML, section 9.2.6). */
const UNNAMED = "message";

/** The handler of an operation of an API. */
export function handlerOf(target: CallTarget, api: Api): Handler {
  return target.operation.type === "subscription" ? streamHandler(target, api) : onceHandler(target, api);
}

function onceHandler(target: CallTarget, api: Api): OnceHandler {
  return {
    kind: "once",
    async run(input, context) {
      const deadline = deadlineIn(Math.min(api.timeoutMs, timeLeft(context) ?? api.timeoutMs));
      const { response, facts } = await send(target, api, { input, context, deadline });
      return reading(facts, () => outputOf(response, facts));
    },
  };
}

function streamHandler(target: CallTarget, api: Api): StreamHandler {
  return {
    kind: "stream",
    async *run(input, context) {
      const { response, facts } = await send(target, api, {
        input,
        context,
        deadline: deadlineIn(timeLeft(context)),
      });
      if (mediaKindOf(response.headers.get("content-type") ?? "") !== "events") {
        const data = await reading(facts, () => outputOf(response, facts));
        yield target.wholeEvents ? { event: UNNAMED, data } : data;
        return;
      }
      try {
        for await (const event of readEvents(response.body.stream())) {
          if (event.data === DONE) return;
          const data = dataOf(event, facts);
          yield target.wholeEvents ? wholeEvent(event, data) : data;
        }
      } catch (error) {
        throw toReadError(error, facts);
      }
    },
  };
}

function deadlineIn(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : performance.now() + milliseconds;
}

interface Sending {
  readonly input: unknown;
  readonly context: OperationContext;
  readonly deadline: number | undefined;
}

interface Sent {
  readonly response: OutboundResponse;
  readonly facts: CallFacts;
}

async function send(target: CallTarget, api: Api, sending: Sending): Promise<Sent> {
  const { response, facts, secret } = await sendOnce(target, api, sending);
  if (response.status === 401 && secret) {
    // A refused call did not run: a new token gets one more try.
    await response.body.cancel();
    api.clientCredentials.forget(secret);
    const again = await sendOnce(target, api, sending);
    return finish(again.response, again.facts);
  }
  return finish(response, facts);
}

async function finish(response: OutboundResponse, facts: CallFacts): Promise<Sent> {
  if (response.status >= 200 && response.status < 300) return { response, facts };
  throw await errorOf(response, facts);
}

async function sendOnce(
  { name, operation, server }: CallTarget,
  api: Api,
  { input, context, deadline }: Sending,
) {
  if (server === undefined) {
    throw new CallError(
      "UNAVAILABLE",
      `${name}: the document names no address to call. The operator of this gateway should set server for this source.`,
      { retryable: false },
    );
  }
  const written = toRequest(operation, input, { server, headers: api.headers });
  const shown: RequestParts = { ...written, query: [], headers: [], cookies: [] };
  const secret = await authorise(shown, operation.security, {
    capabilities: context.capabilities,
    clientCredentials: api.clientCredentials,
    allowClear: api.allowClear,
    server,
    what: name,
  });
  const parts: RequestParts = {
    ...written,
    query: [...written.query, ...shown.query],
    headers: [...written.headers, ...shown.headers],
    cookies: [...written.cookies, ...shown.cookies],
  };
  const account = JSON.stringify([shown.query, shown.headers, shown.cookies]);
  const headers = headersOf(parts);
  const repeatable = IDEMPOTENT.includes(operation.method) || headers["idempotency-key"] !== undefined;
  const facts: CallFacts = { what: name, repeatable, redact: context.redact };
  try {
    const response = await api.outbound.send({
      method: operation.method,
      url: urlOf(parts),
      headers: { ...traceOf(context), ...headers },
      body: parts.body?.content,
      signal: context.signal,
      deadline,
      account,
      repeatable,
      keepAnswer: true,
    });
    return { response, facts, secret };
  } catch (error) {
    throw toReadError(error, facts);
  }
}

async function reading<Value>(facts: CallFacts, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    throw toReadError(error, facts);
  }
}

function toReadError(error: unknown, { what, repeatable }: CallFacts): unknown {
  if (error instanceof OutboundError) return toCallError(error, what, { repeatable });
  if (error instanceof EventTooLarge) return new CallError("RESULT_TOO_LARGE", `${what}: ${error.message}`);
  return error;
}

/** The data of an event; an event that is named error ends the stream. */
function dataOf({ event, data }: ServerEvent, { what }: CallFacts): unknown {
  const value = parsed(data);
  if (event !== "error") return value;
  throw new CallError(
    STREAM_ERROR.code,
    `${what}: the stream ended with an error; details.data says which.`,
    { details: { data: value } },
  );
}

function wholeEvent({ event, id }: ServerEvent, data: unknown): unknown {
  return { event, ...(id !== undefined && { id }), data };
}

function parsed(data: string): unknown {
  const value = parseJson(data);
  return value === undefined ? data : value;
}

function traceOf({ trace }: OperationContext): Readonly<Record<string, string>> {
  if (!trace) return {};
  const { traceparent, tracestate } = trace;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
