import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** What a tool answered, as far as tests look at it. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A connected client, whichever package it comes from. */
export interface TestClient {
  readonly version: string | undefined;
  readonly instructions: string | undefined;
  list(): Promise<readonly { readonly name: string; readonly description?: string | undefined }[]>;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Connects a client to an endpoint. */
export type Connect = (url: URL) => Promise<TestClient>;

const ME = { name: "end-to-end", version: "0" };

/** The clients that must all see the same server. */
export const CLIENTS: Readonly<Record<string, Connect>> = {
  "SDK 2, modern": (url) => connectSdk2(url, "auto"),
  "SDK 2, legacy": (url) => connectSdk2(url, "legacy"),
  "SDK 1": connectSdk1,
};

async function connectSdk2(url: URL, mode: "auto" | "legacy"): Promise<TestClient> {
  const client = new Client(ME, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url));
  return {
    version: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => (await client.callTool({ name, arguments: args ?? {} })) as ToolAnswer,
    close: () => client.close(),
  };
}

async function connectSdk1(url: URL): Promise<TestClient> {
  const client = new OldClient(ME);
  const transport = new OldTransport(url);
  // Its types are written without exact optional properties, so its transport does not fit its own interface.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    version: transport.protocolVersion,
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => (await client.callTool({ name, arguments: args ?? {} })) as ToolAnswer,
    close: () => client.close(),
  };
}
