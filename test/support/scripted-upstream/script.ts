import type { IncomingMessage, ServerResponse } from "node:http";

/** A JSON-RPC message as it came; a request over GET or DELETE has none. */
export interface Rpc {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A stream of events that is being answered with. */
export interface EventWriter {
  /** A JSON-RPC message, without its version. */
  send(message: object): void;
  /** Any bytes at all. */
  raw(text: string): void;
  end(): void;
}

/** One request and every way to answer it, right or wrong. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly rpc: Rpc;
  /** It has been answered, be it badly. */
  isTaken = false;
  readonly #era: "modern" | "legacy";

  constructor(era: "modern" | "legacy", request: IncomingMessage, response: ServerResponse, rpc: Rpc) {
    this.#era = era;
    this.request = request;
    this.response = response;
    this.rpc = rpc;
  }

  get params(): Readonly<Record<string, unknown>> {
    return this.rpc.params ?? {};
  }

  /** The message that answers well. */
  success(result: object): object {
    const whole = this.#era === "modern" ? { resultType: "complete", ...result } : result;
    return { jsonrpc: "2.0", id: this.rpc.id, result: whole };
  }

  result(result: object, headers: Readonly<Record<string, string>> = {}): void {
    this.body(JSON.stringify(this.success(result)), { ...headers, "content-type": "application/json" });
  }

  /** A result with one block of text. */
  text(text: string): void {
    this.result({ content: [{ type: "text", text }] });
  }

  /** A text of so many bytes, as JSON or as an event; ready to be sent, so that making it takes no time of the call. */
  bulk(bytes: number, events?: EventWriter): void {
    const message = JSON.stringify(this.success({ content: [{ type: "text", text: "HERE" }] }));
    const [before = "", after = ""] = message.split("HERE");
    if (!events) this.response.writeHead(200, { "content-type": "application/json" });
    this.isTaken = true;
    this.response.write(events ? `event: message\ndata: ${before}` : before);
    this.response.write(Buffer.alloc(bytes, "x"));
    this.response.end(events ? `${after}\n\n` : after);
  }

  error(
    code: number,
    message: string,
    { status = 200, data }: { readonly status?: number; readonly data?: unknown } = {},
  ): void {
    const error = { code, message, ...(data !== undefined && { data }) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.rpc.id ?? null, error });
    this.body(body, { "content-type": "application/json" }, status);
  }

  status(status: number, headers: Readonly<Record<string, string>> = {}, text = ""): void {
    this.body(text, headers, status);
  }

  body(text: string, headers: Readonly<Record<string, string>>, status = 200): void {
    this.isTaken = true;
    this.response.writeHead(status, headers);
    this.response.end(text);
  }

  events(): EventWriter {
    const { response } = this;
    this.isTaken = true;
    response.writeHead(200, { "content-type": "text/event-stream" });
    return {
      send: (message) =>
        response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`),
      raw: (text) => response.write(text),
      end: () => response.end(),
    };
  }

  /** How far the call is. */
  progress(events: EventWriter, progress: number, more: object = {}): void {
    const { progressToken } = (this.params._meta ?? {}) as { progressToken?: unknown };
    events.send({ method: "notifications/progress", params: { progressToken, progress, ...more } });
  }

  /** The connection breaks. */
  die(): void {
    this.isTaken = true;
    this.request.socket.destroy();
  }
}

/** A tool of the scripted upstream: what it says about itself, and what it does. */
export interface ToolScript {
  readonly definition: { readonly name?: unknown; readonly [key: string]: unknown };
  readonly run: (exchange: Exchange, args: Readonly<Record<string, unknown>>) => unknown;
}

const ANY_INPUT = { type: "object" };
const WORD = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };

/** Makes a tool; more of its definition may be given, right or wrong. */
export function tool(name: string, run: ToolScript["run"], more: object = {}): ToolScript {
  return { definition: { name, description: `Does ${name}.`, inputSchema: ANY_INPUT, ...more }, run };
}

/** Made of the same definition twice: one that is believed to only read, and one that is not. */
function bothWays(name: string, run: ToolScript["run"]): readonly ToolScript[] {
  return [tool(name, run), tool(`${name}_read`, run, { annotations: { readOnlyHint: true } })];
}

const count = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };

/** Answers with a stream that ends where `end` says, before there is an answer. */
const unfinished = (end: (exchange: Exchange) => void) => (exchange: Exchange) => {
  const events = exchange.events();
  exchange.progress(events, 1);
  setImmediate(() => end(exchange));
};

/** Everything that can go well or wrong in a call. */
export const TOOLS: readonly ToolScript[] = [
  tool("echo", (exchange, { word }) => exchange.result({ content: [], structuredContent: { word } }), {
    inputSchema: WORD,
    outputSchema: WORD,
  }),
  tool("text", (exchange) => exchange.text('{"looks":"like JSON"}')),
  tool("image", (exchange) =>
    exchange.result({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
  ),
  tool("fails", (exchange) =>
    exchange.result({ isError: true, content: [{ type: "text", text: "The disk is full." }] }),
  ),
  tool("refuses_input", (exchange) => exchange.error(-32602, "word must be shorter")),
  tool("breaks", (exchange) => exchange.error(-32603, "Something went wrong inside")),
  tool(
    "mirrored",
    (exchange, { region }) => {
      const mirror = exchange.request.headers["mcp-param-region"];
      exchange.result({ content: [], structuredContent: { region, mirror } });
    },
    {
      inputSchema: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
      },
    },
  ),
  tool("progresses", (exchange) => {
    const events = exchange.events();
    exchange.progress(events, 1, { total: 2, message: "half" });
    exchange.progress(events, 2, { total: 2 });
    events.send(exchange.success({ content: [{ type: "text", text: "done" }] }));
    events.end();
  }),
  tool("big", (exchange, { bytes }) => exchange.bulk(Number(bytes))),
  tool("big_stream", (exchange, { bytes }) => exchange.bulk(Number(bytes), exchange.events())),
  tool("wrong", (exchange) => exchange.result({ content: [], structuredContent: { count: "three" } }), {
    outputSchema: count,
  }),
  tool("undeclared", (exchange) => exchange.result({ content: [], structuredContent: { any: "shape" } })),
  tool("no_content", (exchange) => exchange.result({ structuredContent: { only: "data" } })),
  tool("not_structured", (exchange) => exchange.text("3"), { outputSchema: count }),
  tool("no_json", (exchange) =>
    exchange.body('{"jsonrpc": "2.0", "id', { "content-type": "application/json" }),
  ),
  tool("html", (exchange) => exchange.body("<html></html>", { "content-type": "text/html" })),
  tool("no_json_event", (exchange) => {
    const events = exchange.events();
    events.raw('data: {"jsonrpc": "2.0", "id\n\n');
    events.end();
  }),
  tool("no_result", (exchange) => exchange.result({ content: "none" })),
  tool("no_answer", (exchange) => exchange.status(202)),
  tool("other_answer", (exchange) => {
    const body = JSON.stringify({ ...exchange.success({ content: [] }), id: 999_999 });
    exchange.body(body, { "content-type": "application/json" });
  }),
  tool("lingers", (exchange) => {
    exchange.events().send(exchange.success({ content: [{ type: "text", text: "answered" }] }));
  }),
  ...bothWays("hangs", () => {}),
  ...bothWays("dies_before", (exchange) => exchange.die()),
  ...bothWays(
    "dies_midway",
    unfinished((exchange) => exchange.die()),
  ),
  ...bothWays(
    "ends_midway",
    unfinished((exchange) => exchange.response.end()),
  ),
  tool("dies_resumable", (exchange) => {
    exchange.events().raw("id: 1\nretry: 50\ndata: \n\n");
    setImmediate(() => exchange.die());
  }),
  tool("answers_status", (exchange, { status, headers }) =>
    exchange.status(Number(status), (headers ?? {}) as Record<string, string>, "<p>secrets of the house</p>"),
  ),
  tool("asks", (exchange) => asks(exchange, ["name"])),
  tool("asks_twice", (exchange) => asks(exchange, ["name", "colour"])),
  tool("asks_model", (exchange) => {
    const sampling = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
    exchange.result({ resultType: "input_required", inputRequests: { name: question("name"), sampling } });
  }),
];

/** A question for one field, as a server asks it. */
export function question(field: string): object {
  const requestedSchema = { type: "object", properties: { [field]: { type: "string" } }, required: [field] };
  return {
    method: "elicitation/create",
    params: { mode: "form", message: `Which ${field}?`, requestedSchema },
  };
}

/** Asks for one field after the other, and keeps what it has heard in the state. */
function asks(exchange: Exchange, fields: readonly string[]): unknown {
  const { inputResponses = {}, requestState = "[]" } = exchange.params as {
    inputResponses?: Record<string, { action: string; content?: Record<string, string> }>;
    requestState?: string;
  };
  const heard = JSON.parse(requestState) as string[];
  const answer = inputResponses.q;
  if (answer && answer.action !== "accept") return exchange.text(answer.action);
  const next = fields[heard.length];
  const said = answer && next !== undefined ? answer.content?.[next] : undefined;
  const known = said === undefined ? heard : [...heard, said];
  const wanted = fields[known.length];
  if (wanted === undefined) return exchange.text(known.join(", "));
  return exchange.result({
    resultType: "input_required",
    inputRequests: { q: question(wanted) },
    requestState: JSON.stringify(known),
  });
}
