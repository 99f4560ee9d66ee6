import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { freePort } from "../free-port.ts";
import { type EventWriter, Exchange, type Rpc, TOOLS, type ToolScript } from "./script.ts";

/** The two ways in which MCP is spoken. */
export type Era = "modern" | "legacy";

/** How an upstream behaves apart from its tools. */
export interface UpstreamOptions {
  readonly era?: Era;
  readonly tools?: readonly ToolScript[];
  readonly capabilities?: object;
  /** How many tools a page of the list holds; all of them if not given. */
  readonly pageSize?: number;
  /** What a legacy server says to a session that it does not know. */
  readonly lostStatus?: 400 | 404;
}

/** A request as it came in. */
export interface Seen {
  readonly http: string;
  readonly method: string | undefined;
  readonly name: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Takes a request out of the script's hands by answering it. */
export type Intercept = (rpc: Rpc, exchange: Exchange) => void;

const CAPABILITIES = { tools: { listChanged: true }, resources: {}, prompts: {} };
const MODERN = "2026-07-28";

/**
 * An MCP server written by hand, so that every byte of it can be wrong. It can be stopped and started
 * again on the same port; a legacy one has then forgotten its sessions.
 */
export class ScriptedUpstream {
  /** Changed while it is down, it has become an older or a newer server. */
  era: Era;
  readonly seen: Seen[] = [];
  readonly sessions = new Set<string>();
  tools: readonly ToolScript[];
  capabilities: object;
  lostStatus: 400 | 404;
  intercept: Intercept | undefined;
  sessionsOpened = 0;
  sessionsEnded = 0;
  connectionsOpened = 0;
  /** Requests whose sender left before they were answered. */
  abandoned = 0;
  readonly #pageSize: number;
  readonly #calls = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  readonly #listeners = new Map<EventWriter, object>();
  #server: Server | undefined;
  #port = 0;

  constructor(options: UpstreamOptions = {}) {
    this.era = options.era ?? "modern";
    this.tools = options.tools ?? TOOLS;
    this.capabilities = options.capabilities ?? CAPABILITIES;
    this.lostStatus = options.lostStatus ?? 404;
    this.#pageSize = options.pageSize ?? Number.POSITIVE_INFINITY;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}/mcp`);
  }

  /** Connections that are open now. */
  get connectionsOpen(): number {
    return this.#sockets.size;
  }

  /** Streams on which changes are told. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** How often a tool has been run. */
  runs(tool: string): number {
    return this.#calls.get(tool) ?? 0;
  }

  /** How often a method was asked for. */
  count(method: string): number {
    return this.seen.filter((each) => each.method === method).length;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      void readJson(request).then((rpc) => this.#answer(rpc, new Exchange(this.era, request, response, rpc)));
    });
    server.on("connection", (socket) => {
      this.connectionsOpened++;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
    });
    this.#port ||= await freePort();
    this.#server = server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    return this;
  }

  /** Goes away as a killed process does: connections end in the middle of what they carry. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.sessions.clear();
    this.#listeners.clear();
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Offers other tools; says so to listeners, unless told not to. */
  changeTools(tools: readonly ToolScript[], { silently = false } = {}): void {
    this.tools = tools;
    if (!silently) this.notify("notifications/tools/list_changed");
  }

  notify(method: string): void {
    for (const [events, _meta] of this.#listeners) events.send({ method, params: { _meta } });
  }

  /** Ends the streams on which changes are told, and nothing else. */
  dropListeners(): void {
    for (const events of this.#listeners.keys()) events.end();
    this.#listeners.clear();
  }

  #answer(rpc: Rpc, exchange: Exchange): void {
    const { method: http = "", headers } = exchange.request;
    const name = typeof rpc.params?.name === "string" ? rpc.params.name : undefined;
    this.seen.push({ http, method: rpc.method, name, headers });
    exchange.response.on("close", () => {
      if (!exchange.response.writableEnded) this.abandoned++;
    });
    this.intercept?.(rpc, exchange);
    if (exchange.isTaken) return;
    if (this.era === "legacy") this.#answerLegacy(http, rpc, exchange);
    else this.#answerModern(http, rpc, exchange);
  }

  #answerModern(http: string, rpc: Rpc, exchange: Exchange): unknown {
    if (http !== "POST") return exchange.status(405);
    switch (rpc.method) {
      case "server/discover":
        return exchange.result({
          supportedVersions: [MODERN],
          capabilities: this.capabilities,
          instructions: "A scripted server. It does what it is told.",
          ttlMs: 0,
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
        });
      case "initialize":
        return exchange.error(-32022, "This revision is not spoken here.", {
          status: 400,
          data: { supported: [MODERN], requested: "2025-11-25" },
        });
      case "subscriptions/listen":
        return this.#listen(exchange, { "io.modelcontextprotocol/subscriptionId": rpc.id }, rpc);
      default:
        return this.#serve(rpc, exchange);
    }
  }

  #answerLegacy(http: string, rpc: Rpc, exchange: Exchange): unknown {
    const session = String(exchange.request.headers["mcp-session-id"] ?? "");
    if (rpc.method === "initialize") {
      const id = randomUUID();
      this.sessions.add(id);
      this.sessionsOpened++;
      const capabilities = this.capabilities;
      const serverInfo = { name: "scripted", version: "1" };
      return exchange.result(
        { protocolVersion: "2025-11-25", capabilities, serverInfo },
        { "mcp-session-id": id },
      );
    }
    if (!this.sessions.has(session)) {
      return exchange.error(-32000, "Bad Request: No valid session ID provided", { status: this.lostStatus });
    }
    if (http === "DELETE") {
      this.sessions.delete(session);
      this.sessionsEnded++;
      return exchange.status(200);
    }
    if (http === "GET") return this.#listen(exchange, {});
    if (rpc.id === undefined) return exchange.status(202);
    return this.#serve(rpc, exchange);
  }

  #listen(exchange: Exchange, meta: object, rpc?: Rpc): void {
    const events = exchange.events();
    exchange.response.flushHeaders();
    this.#listeners.set(events, meta);
    exchange.response.on("close", () => this.#listeners.delete(events));
    if (!rpc) return;
    const params = { notifications: rpc.params?.notifications ?? {}, _meta: meta };
    events.send({ method: "notifications/subscriptions/acknowledged", params });
  }

  #serve({ method, params = {} }: Rpc, exchange: Exchange): unknown {
    const cacheable = this.era === "modern" ? { ttlMs: 0, cacheScope: "private" } : {};
    switch (method) {
      case "tools/list": {
        const from = Number(params.cursor ?? 0);
        const to = from + this.#pageSize;
        const tools = this.tools.slice(from, to).map(({ definition }) => definition);
        const next = to < this.tools.length ? { nextCursor: String(to) } : {};
        return exchange.result({ tools, ...next, ...cacheable });
      }
      case "tools/call": {
        const tool = this.tools.find(({ definition }) => definition.name === params.name);
        if (!tool) return exchange.error(-32602, `Unknown tool: ${String(params.name)}`);
        this.#calls.set(String(params.name), this.runs(String(params.name)) + 1);
        return tool.run(exchange, (params.arguments ?? {}) as Record<string, unknown>);
      }
      case "resources/list": {
        const first = params.cursor === undefined;
        const resources = [{ uri: `file:///${first ? "a" : "b"}.txt`, name: first ? "a" : "b" }];
        return exchange.result({ resources, ...(first && { nextCursor: "2" }), ...cacheable });
      }
      case "resources/read": {
        if (params.uri !== "file:///a.txt") return exchange.error(-32002, "No such resource");
        const contents = [{ uri: params.uri, mimeType: "text/plain", text: "content of a" }];
        return exchange.result({ contents, ...cacheable });
      }
      case "prompts/list":
        return exchange.result({ prompts: [{ name: "greet" }], ...cacheable });
      case "prompts/get": {
        const { who = "you" } = (params.arguments ?? {}) as { who?: string };
        const text = { type: "text", text: `Greet ${who}.` };
        return exchange.result({ messages: [{ role: "user", content: text }] });
      }
      default:
        return exchange.error(-32601, "Method not found", this.era === "modern" ? { status: 404 } : {});
    }
  }
}

async function readJson(request: IncomingMessage): Promise<Rpc> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Rpc);
  } catch {
    return {};
  }
}
