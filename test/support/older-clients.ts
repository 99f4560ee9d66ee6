import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { ToolAnswer } from "./mcp-clients.ts";

/** What a client does when it is asked or told something. */
export interface Reactions {
  readonly token?: string;
  /** Without it the client cannot be asked. */
  readonly answer?: (question: { readonly message: string }) => Answer | Promise<Answer>;
  readonly onListChanged?: () => void;
  /** The stream on which the client listens is open. */
  readonly onListening?: () => void;
  /** The address for the next request, as a load balancer chooses it; always the same without it. */
  readonly route?: () => URL;
}

interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string>;
}

/** A connected client of a revision before 2026-07-28. */
export interface OlderClient {
  readonly sessionId: string | undefined;
  readonly promisesListChanged: boolean;
  call(operation: string, input?: object, signal?: AbortSignal): Promise<ToolAnswer>;
  close(): Promise<void>;
}

const ME = { name: "older", version: "0" };

/** The clients of these revisions, each of another package. */
export const OLDER_CLIENTS: Readonly<
  Record<string, (url: URL, reactions?: Reactions) => Promise<OlderClient>>
> = { "SDK 1": connectSdk1, "SDK 2 in legacy mode": connectSdk2 };

/** Connects a client of SDK 1. */
export async function connectSdk1(
  url: URL,
  { answer, onListChanged, ...wire }: Reactions = {},
): Promise<OlderClient> {
  const client = new OldClient(ME, { capabilities: answer ? { elicitation: {} } : {} });
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ ...(await answer(params)) }));
  if (onListChanged) client.setNotificationHandler(ToolListChangedNotificationSchema, onListChanged);
  const transport = new OldTransport(url, transportOptions(wire));
  // Its types are written without exact optional properties, so its own transport does not fit its types.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    sessionId: transport.sessionId,
    promisesListChanged: client.getServerCapabilities()?.tools?.listChanged === true,
    call: async (operation, input = {}, signal) =>
      (await client.callTool(
        { name: "call", arguments: { operation, input } },
        undefined,
        signal && { signal },
      )) as ToolAnswer,
    close: () => client.close(),
  };
}

async function connectSdk2(
  url: URL,
  { answer, onListChanged, ...wire }: Reactions = {},
): Promise<OlderClient> {
  const client = new Client(ME, {
    capabilities: answer ? { elicitation: {} } : {},
    versionNegotiation: { mode: "legacy" },
  });
  if (answer)
    client.setRequestHandler("elicitation/create", async ({ params }) => ({ ...(await answer(params)) }));
  if (onListChanged) client.setNotificationHandler("notifications/tools/list_changed", onListChanged);
  const transport = new StreamableHTTPClientTransport(url, transportOptions(wire));
  await client.connect(transport);
  return {
    sessionId: transport.sessionId,
    promisesListChanged: client.getServerCapabilities()?.tools?.listChanged === true,
    call: async (operation, input = {}, signal) =>
      (await client.callTool(
        { name: "call", arguments: { operation, input } },
        signal && { signal },
      )) as ToolAnswer,
    close: () => client.close(),
  };
}

function transportOptions({ token, onListening, route }: Reactions) {
  return {
    requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
    async fetch(url: string | URL, init?: RequestInit) {
      const response = await fetch(route?.() ?? url, init);
      if (init?.method === "GET" && response.ok) onListening?.();
      return response;
    },
  };
}
