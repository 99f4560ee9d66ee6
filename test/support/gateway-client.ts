import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type CallErrorJson, isRecord } from "pinhole/core";
import { stringify } from "yaml";
import { type Gateway, startGateway } from "../../src/gateway/gateway.ts";
import { createLog } from "../../src/observe/log.ts";

/** A whole gateway in front of servers, and a client in front of the gateway. */
export interface GatewayClient {
  readonly gateway: Gateway;
  readonly client: Client;
  /** The names that a search finds. */
  search(query: string): Promise<readonly string[]>;
  /** What the schema tool tells of one operation. */
  schema(operation: string): Promise<Readonly<Record<string, unknown>>>;
  call(operation: string, input?: object, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

/** How a call came out: content blocks as they are, data, or an error. */
export interface Answer {
  readonly content: readonly Block[];
  readonly output?: unknown;
  readonly error?: CallErrorJson;
}

/** A content block of a result. */
export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

type CallOptions = Parameters<Client["callTool"]>[1];

/** What the client can do. */
export interface ClientOptions {
  readonly capabilities?: ClientCapabilities;
  /** Before it connects. */
  readonly prepare?: (client: Client) => void;
}

/** Starts a gateway whose config names these servers, and connects a client to it. */
export async function startGatewayClient(
  servers: Readonly<Record<string, URL>>,
  { capabilities = {}, prepare }: ClientOptions = {},
): Promise<GatewayClient> {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-servers-"));
  await writeFile(join(directory, "pinhole.yaml"), configFor(servers));
  const log = createLog("error");
  const gateway = await startGateway({ directory, log, watch: false, flags: { port: "0" } });
  const client = new Client(
    { name: "end-to-end", version: "0" },
    { capabilities, versionNegotiation: { mode: "auto" } },
  );
  prepare?.(client);
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", gateway.url)));

  async function data(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { structuredContent } = await client.callTool({ name: tool, arguments: args });
    return structuredContent as Record<string, unknown>;
  }

  return {
    gateway,
    client,
    async search(query) {
      const { operations } = await data("search", { query });
      return (operations as readonly { readonly name: string }[]).map(({ name }) => name);
    },
    async schema(operation) {
      const { operations } = await data("schema", { names: [operation] });
      return (operations as readonly Record<string, unknown>[])[0] ?? {};
    },
    async call(operation, input, options) {
      const params = { name: "call", arguments: { operation, ...(input && { input }) } };
      const { content, structuredContent } = await client.callTool(params, options);
      return { content: content as readonly Block[], ...(isRecord(structuredContent) && structuredContent) };
    },
    async close() {
      await client.close();
      await gateway.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function configFor(servers: Readonly<Record<string, URL>>): string {
  const sources = Object.entries(servers).map(([name, url]) => [
    name,
    { mcp: url.href, allowPrivate: true, external: "*", trustAnnotations: true, timeoutMs: 10_000 },
  ]);
  return stringify({ sources: Object.fromEntries(sources) });
}
