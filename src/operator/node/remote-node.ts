import { CallError, type CallErrorJson, isRecord, messageOf, type UnknownRecord } from "../../core/index.ts";
import { readEvents } from "../../formats/index.ts";

/** Actions of a node; over MCP each is a tool. */
export const ACTIONS = ["search", "schema", "call", "batch"] as const;

type Action = (typeof ACTIONS)[number];

/** The answer to an action, in the form of plain HTTP. */
export type ActionAnswer =
  | { readonly error: CallErrorJson }
  | { readonly error?: undefined; readonly [key: string]: unknown };

/** A POST to an MCP endpoint. */
export interface McpPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A gateway to call: a running one, or one from a configuration. */
export interface PinholeNode {
  /** Its name in a sentence. */
  readonly where: string;
  ask(action: Action, input: object): Promise<ActionAnswer>;
  /** Items of a subscription; throws a CallError if it fails. */
  follow(call: object): AsyncIterable<unknown>;
  /** The message with which its MCP endpoint answers. */
  mcp(request: McpPost): Promise<UnknownRecord>;
  close(): Promise<void>;
}

/** Thrown if a node does not answer, or not as Pinhole does. */
export class UnreachableNode extends Error {
  override readonly name = "UnreachableNode";
}

/** A running node, over plain HTTP. */
export function createRemoteNode({
  url,
  token,
  signal,
}: {
  readonly url: URL;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}): PinholeNode {
  const where = url.href.replace(/\/$/, "");
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };

  async function post(path: string, { headers, body }: McpPost): Promise<Response> {
    const options = { method: "POST", headers: { ...headers, ...authorization }, body, signal };
    try {
      return await fetch(new URL(path, url), options);
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(reasonOf(error));
    }
  }

  function postJson(path: Action | "subscribe", body: object): Promise<Response> {
    return post(path, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  }

  async function read(response: Response): Promise<ActionAnswer> {
    const answer: unknown = await response.json().catch(() => undefined);
    if (typeof answer === "object" && answer !== null) return withAdvice(answer as ActionAnswer, response);
    throw unreachable(`it answers with status ${response.status}, but not as Pinhole does`);
  }

  /** Adds to an error without a token how to pass one to this program. */
  function withAdvice(answer: ActionAnswer, { status }: Response): ActionAnswer {
    if (answer.error === undefined || status !== 401 || token !== undefined) return answer;
    const message = `${answer.error.message} Put one into PINHOLE_TOKEN, or name its variable with --token-env.`;
    return { error: { ...answer.error, message } };
  }

  function unreachable(reason: string): UnreachableNode {
    return new UnreachableNode(
      `${where} cannot be reached: ${reason}. Is it running? Start one with: pinhole serve`,
    );
  }

  function cutOff(): UnreachableNode {
    signal.throwIfAborted();
    return unreachable("the stream was cut off");
  }

  return {
    where,
    ask: async (action, input) => read(await postJson(action, input)),
    async *follow(call) {
      const response = await postJson("subscribe", call);
      if (!response.body || !isStream(response)) {
        const { error } = await read(response);
        throw error ? toCallError(error) : unreachable("it answers a subscription without a stream");
      }
      for await (const { event, data } of orElse(readEvents(response.body), cutOff)) {
        if (event === "end") return;
        if (event === "error") throw toCallError(JSON.parse(data) as CallErrorJson);
        yield JSON.parse(data);
      }
      throw cutOff();
    },
    mcp: async (request) => mcpMessageOf(await post("mcp", request)),
    async close() {},
  };
}

/** The message in an answer of an MCP endpoint, which is JSON or a stream; empty without one. */
export async function mcpMessageOf(response: Response): Promise<UnknownRecord> {
  if (response.body && isStream(response)) {
    for await (const { data } of readEvents(response.body)) {
      const message: unknown = JSON.parse(data);
      if (isRecord(message) && "id" in message) return message;
    }
    return {};
  }
  const message: unknown = await response.json().catch(() => undefined);
  return isRecord(message) ? message : {};
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Items of a stream; maps the error of a broken connection. */
async function* orElse<Item>(items: AsyncIterable<Item>, error: () => Error): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch {
    throw error();
  }
}

function toCallError({ code, message, ...more }: CallErrorJson): CallError {
  return new CallError(code, message, more);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : messageOf(cause ?? error);
}
