import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { examine } from "../../src/operator/doctor/index.ts";
import { reviewLock } from "../../src/operator/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import {
  type Exchange,
  ScriptedUpstream,
  type ToolScript,
  tool,
} from "../support/scripted-upstream/index.ts";

/** An MCP server that repeats the credential it is called with wherever a server can say something. */
async function serveEchoingMcp(t: TestContext, credential: string): Promise<URL> {
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
async function serveEchoingApi(t: TestContext, credential: string): Promise<string> {
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

const SECRET = "s3cr3t-Q7vZ2kLm9XwB4tYh6NcR8pJd1FgS5aUe3iOo";
/** So much of it in one piece is a leak: a secret must be found before anything is cut. */
const PIECE = 9;

function leakIn(text: string): string | undefined {
  const decoded = text.replaceAll(/[A-Za-z0-9+/]{24,}={0,2}/g, (run) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), "base64").toString("latin1")).join(" "),
  );
  for (let at = 0; at + PIECE <= SECRET.length; at++) {
    const piece = SECRET.slice(at, at + PIECE);
    if (text.includes(piece) || decoded.includes(piece)) return piece;
  }
  return undefined;
}

test("a credential that an upstream echoes is nowhere to be read", async (t) => {
  process.env.ECHOED_SECRET = SECRET;
  t.after(() => delete process.env.ECHOED_SECRET);
  const token = { env: "ECHOED_SECRET" };
  const common = { token, external: "*", allowPrivate: true };
  const api = await serveEchoingApi(t, SECRET);
  const { url, directory, logged, gateway } = await startConfig(t, {
    audit: { file: "./audit.jsonl", inputs: true, outputs: true },
    sources: {
      up: { mcp: String(await serveEchoingMcp(t, SECRET)), ...common },
      api: { openapi: api, ...common },
    },
  });
  const text = async (path: string, body: object) => (await postJson(url + path, body)).text();
  const call = (operation: string, input = {}) => text("/call", { operation, input });
  const subscribed = () => text("/subscribe", { operation: "api/events" });
  const doctor = async () => {
    const checks: unknown[] = [];
    const signal = AbortSignal.timeout(20_000);
    for await (const check of examine({ directory, env: process.env, signal })) checks.push(check);
    return JSON.stringify(checks);
  };
  const lock = async () => {
    const review = await reviewLock({ directory });
    await review.accept();
    return JSON.stringify(review) + (await readFile(review.path, "utf8"));
  };

  const places: Readonly<Record<string, () => Promise<string>>> = {
    "text of a tool": () => call("up/text"),
    "data of a tool, keys too": () => call("up/data"),
    "error of a tool": () => call("up/fails"),
    "error of a tool that is cut": () => call("up/fails_at_length"),
    "link to a resource": () => call("up/link"),
    "bytes in base64": () => call("up/blob"),
    "refused input": () => call("up/refuses"),
    "error of the protocol": () => call("up/breaks"),
    "list of resources": () => call("up/list_resources"),
    "a resource": () => call("up/read_resource", { uri: "file:///a" }),
    "list of prompts": () => call("up/list_prompts"),
    "a prompt": () => call("up/get_prompt", { name: "p" }),
    "tools that are found": () => text("/search", { query: "described for bearer title", limit: 20 }),
    "schema of a tool": () => text("/schema", { names: ["up/described"] }),
    "list of all operations": () => call("services/list"),
    "answer of an API": () => call("api/ok"),
    "text of an API": () => call("api/text"),
    "message of a 400": () => call("api/bad"),
    "message of a 400 that is cut": () => call("api/long"),
    "page of a 500": () => call("api/broken"),
    "items and error of a stream": subscribed,
    "schema of an API's operation": () => text("/schema", { names: ["api/ok"] }),
    "why operations were left out": () => call("sources/list"),
    "what doctor says": doctor,
    "the lock, and its review": lock,
    "a call whose input has it": () => call("up/text", { echoed: SECRET }),
  };
  const leaks: string[] = [];
  for (const [place, read] of Object.entries(places)) {
    const shown = await read();
    const leak = leakIn(shown);
    if (leak !== undefined) leaks.push(`${place}: ${leak}`);
    if (!/\Wredacted\W|_redacted_/.test(shown)) leaks.push(`${place}: no echo in ${shown}`);
  }
  await gateway.close();
  const audit = await readFile(join(directory, "audit.jsonl"), "utf8");
  for (const [place, shown] of [
    ["the audit, with inputs and outputs", audit],
    ["the log", logged()],
  ] as const) {
    assert.match(shown, /\[redacted\]/, `${place} should have had something to redact`);
    const leak = leakIn(shown);
    if (leak !== undefined) leaks.push(`${place}: ${leak}`);
  }
  assert.deepEqual(leaks, []);
});

test("the echo is real: without the credential everything arrives", async (t) => {
  const { url } = await startConfig(t, {
    sources: {
      api: { openapi: await serveEchoingApi(t, "known-to-nobody"), external: "*", allowPrivate: true },
    },
  });
  const answer = await (await postJson(`${url}/call`, { operation: "api/ok" })).text();
  assert.match(answer, /"youSent":"undefined"/);
  assert.match(await (await postJson(`${url}/schema`, { names: ["api/ok"] })).text(), /known-to-nobody/);
});
