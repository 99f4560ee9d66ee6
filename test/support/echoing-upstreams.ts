import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { ScriptedUpstream } from "./scripted-upstream.ts";
import type { Exchange } from "./scripted-upstream-exchange.ts";
import { type ToolScript, tool } from "./scripted-upstream-tools.ts";

/** An MCP server that repeats the credential it is called with wherever a server can say something. */
export async function serveEchoingMcp(t: TestContext, credential: string): Promise<URL> {
  const sent = (exchange: Exchange) => exchange.request.headers.authorization ?? "nothing";
  const text = (exchange: Exchange) => ({ type: "text", text: `You sent ${sent(exchange)}.` });
  const tools: readonly ToolScript[] = [
    tool("text", (exchange) => exchange.result({ content: [text(exchange)] })),
    tool("data", (exchange) =>
      exchange.result({ content: [], structuredContent: { [sent(exchange)]: [sent(exchange)] } }),
    ),
    tool("fails", (exchange) => exchange.result({ isError: true, content: [text(exchange)] })),
    tool("fails_at_length", (exchange) =>
      // So that the words of the error are cut in the middle of the credential.
      exchange.result({
        isError: true,
        content: [{ type: "text", text: `${"x".repeat(470)} ${sent(exchange)}` }],
      }),
    ),
    tool("link", (exchange) =>
      exchange.result({
        content: [{ type: "resource_link", uri: `file:///a?key=${sent(exchange)}`, name: sent(exchange) }],
      }),
    ),
    tool("blob", (exchange) => {
      const blob = Buffer.from(`authorization: ${sent(exchange)}`).toString("base64");
      exchange.result({ content: [{ type: "resource", resource: { uri: "file:///a", blob } }] });
    }),
    tool("refuses", (exchange) => exchange.error(-32602, `Refused: ${sent(exchange)}`)),
    tool("breaks", (exchange) => exchange.error(-32603, `Broken: ${sent(exchange)}`)),
    tool(`named ${credential}`, (exchange) => exchange.text("fine")),
    tool("described", (exchange) => exchange.text("fine"), {
      title: `Title of ${credential}`,
      description: `For Bearer ${credential}.`,
      inputSchema: {
        type: "object",
        properties: { [credential]: { description: credential, enum: [credential] } },
      },
      outputSchema: { type: "object", description: credential },
    }),
    { definition: { name: `${"y".repeat(80)} Bearer ${credential}` }, run: () => {} },
  ];
  const upstream = await new ScriptedUpstream({ tools }).start();
  t.after(() => upstream.stop());
  upstream.intercept = ({ method }, exchange) => {
    const more = { ttlMs: 0, cacheScope: "private" };
    if (method === "server/discover")
      exchange.result({
        supportedVersions: ["2026-07-28"],
        capabilities: upstream.capabilities,
        instructions: `Serves ${sent(exchange)}. And more.`,
        _meta: { "io.modelcontextprotocol/serverInfo": { name: sent(exchange), version: "1" } },
        ...more,
      });
    if (method === "resources/list")
      exchange.result({ resources: [{ uri: `file:///${sent(exchange)}`, name: sent(exchange) }], ...more });
    if (method === "resources/read")
      exchange.result({ contents: [{ uri: "file:///a", text: sent(exchange) }], ...more });
    if (method === "prompts/list")
      exchange.result({ prompts: [{ name: "p", description: sent(exchange) }], ...more });
    if (method === "prompts/get") exchange.result({ messages: [{ role: "user", content: text(exchange) }] });
  };
  return upstream.url;
}

/** An API that does the same; its document names the credential too. */
export async function serveEchoingApi(t: TestContext, credential: string): Promise<string> {
  const answers: Readonly<Record<string, (sent: string, response: ServerResponse) => void>> = {
    "/ok": (sent, response) => json(response, 200, { youSent: sent, [sent]: 1 }),
    "/text": (sent, response) => response.writeHead(200, { "content-type": "text/plain" }).end(sent),
    "/bad": (sent, response) => json(response, 400, { message: `Bad: ${sent}` }),
    "/long": (sent, response) => json(response, 400, { message: `${"x".repeat(280)} ${sent}` }),
    "/broken": (sent, response) =>
      response.writeHead(500, { "content-type": "text/html" }).end(`<pre>${sent}</pre>`),
    "/events": (sent, response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`data: {"sent": ${JSON.stringify(sent)}}\n\nevent: error\ndata: ${sent}\n\n`),
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const path = String(request.url);
    if (path === "/openapi.json") return json(response, 200, documentOf(credential, Object.keys(answers)));
    answers[path]?.(String(request.headers.authorization), response);
  };
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function documentOf(credential: string, paths: readonly string[]): object {
  const operation = (path: string) => ({
    operationId: path.slice(1),
    summary: `For ${credential}`,
    description: `${"z".repeat(1_990)} ${credential}`,
    responses: {
      200: { description: credential, content: { [contentOf(path)]: { schema: { title: credential } } } },
    },
  });
  return {
    openapi: "3.1.0",
    info: { title: `API of ${credential}`, description: `Serves ${credential}.` },
    paths: {
      ...Object.fromEntries(paths.map((path) => [path, { get: operation(path) }])),
      "/named": { get: { ...operation("/named"), operationId: `named_${credential}` } },
    },
  };
}

function contentOf(path: string): string {
  return path === "/events" ? "text/event-stream" : "application/json";
}
