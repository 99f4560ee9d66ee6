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
