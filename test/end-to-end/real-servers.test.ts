import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { CONTENT_OUTPUT } from "../../src/core/index.ts";
import { type Block, type GatewayClient, startGatewayClient } from "../support/gateway-client.ts";
import { EVERYTHING, type RealServer, reasonToSkip, startRealServer } from "../support/real-servers.ts";

const DOCUMENT = "demo://resource/static/document/features.md";

describe("the published server-everything behind the gateway", { skip: reasonToSkip(EVERYTHING) }, () => {
  let server: RealServer;
  let front: GatewayClient;

  before(async () => {
    server = await startRealServer(EVERYTHING);
    front = await startGatewayClient({ everything: server.url });
  });

  after(async () => {
    await front?.close();
    await server?.stop();
  });

  test("the published server-everything is found by search, and shown by schema as the server describes it", async () => {
    assert.ok((await front.search("echo a message")).includes("everything/echo"));
    assert.ok((await front.search("sum of two numbers")).includes("everything/get-sum"));
    const { type, inputSchema, outputSchema } = await front.schema("everything/get-structured-content");
    assert.equal(type, "query");
    assert.deepEqual(propertiesOf(inputSchema), ["location"]);
    assert.deepEqual(propertiesOf(outputSchema), ["temperature", "conditions", "humidity"]);
    assert.equal((await front.schema("everything/toggle-simulated-logging")).type, "mutation");
  });

  test("the published server-everything answers with text as text, and with structured content as data", async () => {
    const echo = await front.call("everything/echo", { message: "hello" });
    assert.deepEqual(echo, { content: [{ type: "text", text: "Echo: hello" }] });
    const sum = await front.call("everything/get-sum", { a: 2, b: 3 });
    assert.match(String(sum.content[0]?.text), /is 5\./);
    const weather = await front.call("everything/get-structured-content", { location: "Chicago" });
    assert.deepEqual(weather.output, {
      temperature: 36,
      conditions: "Light rain / drizzle",
      humidity: 82,
    });
  });

  test("the published server-everything shows the content of its untyped tools, and select takes a part of it", async () => {
    const { outputSchema } = await front.schema("everything/echo");
    assert.deepEqual(outputSchema, CONTENT_OUTPUT);
    const input = { message: "hello" };
    const args = { operation: "everything/echo", input, select: "content[0].text" };
    const { structuredContent } = await front.client.callTool({ name: "call", arguments: args });
    assert.deepEqual(structuredContent, { output: "Echo: hello" });
    const answer = await fetch(new URL("/call", front.gateway.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(args),
    });
    assert.equal(((await answer.json()) as { output?: unknown }).output, "Echo: hello");
  });

  test("the published server-everything answers with an image that is still an image", async () => {
    const { content } = await front.call("everything/get-tiny-image");
    assert.deepEqual(
      content.map(({ type }) => type),
      ["text", "image", "text"],
    );
    assert.equal(content[1]?.mimeType, "image/png");
    assert.equal(Buffer.from(String(content[1]?.data), "base64").subarray(1, 4).toString(), "PNG");
  });

  test("the published server-everything keeps the annotations of content, and embedded resources", async () => {
    const message = await front.call("everything/get-annotated-message", { messageType: "error" });
    assert.deepEqual(message.content[0]?.annotations, { audience: ["user", "assistant"], priority: 1 });
    const reference = await front.call("everything/get-resource-reference");
    const embedded = reference.content.find(({ type }) => type === "resource");
    assert.equal(resourceOf(embedded).uri, "demo://resource/dynamic/text/1");
  });

  test("the published server-everything tells its progress through the gateway", async () => {
    const seen: unknown[] = [];
    const { content } = await front.call(
      "everything/trigger-long-running-operation",
      { duration: 0.4, steps: 4 },
      { onprogress: ({ progress, total }) => seen.push([progress, total]) },
    );
    assert.match(String(content[0]?.text), /completed/);
    assert.deepEqual(seen, [
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
  });

  test("the published server-everything lists its resources, and gives those that its results link to", async () => {
    const { output } = await front.call("everything/list_resources");
    const { resources } = output as { resources: readonly { uri: string }[] };
    assert.ok(resources.some(({ uri }) => uri === DOCUMENT));
    const { content } = await front.call("everything/read_resource", { uri: DOCUMENT });
    const { uri, mimeType, text } = resourceOf(content[0]);
    assert.deepEqual([uri, mimeType], [DOCUMENT, "text/markdown"]);
    assert.match(String(text), /Everything Server/);

    const templates = await front.call("everything/list_resource_templates");
    assert.match(JSON.stringify(templates.output), /"uriTemplate":"demo:\/\/resource\//);

    const links = await front.call("everything/get-resource-links", { count: 1 });
    const link = links.content.find(({ type }) => type === "resource_link");
    const linked = await front.call("everything/read_resource", { uri: link?.uri });
    assert.equal(resourceOf(linked.content[0]).uri, link?.uri);
  });

  test("the published server-everything lists its prompts and fills one in", async () => {
    const { output } = await front.call("everything/list_prompts");
    const { prompts } = output as { prompts: readonly { name: string }[] };
    assert.ok(prompts.some(({ name }) => name === "args-prompt"));
    const filled = await front.call("everything/get_prompt", {
      name: "args-prompt",
      arguments: { city: "Rome" },
    });
    assert.match(JSON.stringify(filled.output), /weather in Rome/);
  });

  test("the published server-everything fails in words that tell what is wrong", async () => {
    // Refused here, before the server hears of it.
    const unfit = await front.call("everything/get-sum", { a: "two", b: 3 });
    assert.equal(unfit.error?.code, "INVALID_INPUT");
    assert.match(unfit.error.message, /\/a: expected number/);
    // Refused there, by the protocol.
    const missing = await front.call("everything/read_resource", { uri: "demo://nowhere" });
    assert.equal(missing.error?.code, "INVALID_INPUT");
    assert.match(missing.error.message, /demo:\/\/nowhere not found/);
    // The tool itself says that it failed.
    const unread = await front.call("everything/gzip-file-as-resource", { data: "http://127.0.0.1:9/" });
    assert.equal(unread.error?.code, "MCP_TOOL_ERROR");
    assert.equal(Array.isArray((unread.error.details as { content: unknown }).content), true);
    // It asks on its open connection, as servers did before 2026-07-28, for a client that cannot be asked.
    const asking = await front.call("everything/trigger-elicitation-request");
    assert.equal(asking.error?.code, "INVALID_OPERATION_TYPE");
    assert.match(asking.error.message, /a client that supports elicitation/);
  });

  test("the published server-everything asks a client that can be asked, on a connection that it shares with others", async () => {
    const asked: string[] = [];
    const client = new Client(
      { name: "asked", version: "0" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
    );
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { name: "Ada" } };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", front.gateway.url)));
    const call = { operation: "everything/trigger-elicitation-request" };
    const { content } = await client.callTool({ name: "call", arguments: call });
    await client.close();
    assert.equal(asked.length, 1);
    assert.match(JSON.stringify(content), /Name: Ada/);
  });

  test("the published server-everything is unavailable while it is down, and works again when it is back", async () => {
    await server.stop();
    for (const operation of ["everything/get-tiny-image", "everything/toggle-simulated-logging"]) {
      const { error } = await front.call(operation);
      assert.equal(error?.code, "UNAVAILABLE", operation);
      assert.equal(error.retryable, true);
    }
    // What it offers is still known.
    assert.ok((await front.search("echo a message")).includes("everything/echo"));

    server = await startRealServer(EVERYTHING, server.port);
    const echo = await front.call("everything/echo", { message: "back" });
    assert.deepEqual(echo.content, [{ type: "text", text: "Echo: back" }]);
  });

  test("the published server-everything works after an unnoticed restart, also for operations that must not run twice", async () => {
    await server.stop();
    server = await startRealServer(EVERYTHING, server.port);
    const { content, error } = await front.call("everything/toggle-simulated-logging");
    assert.equal(error, undefined);
    assert.match(String(content[0]?.text), /^Started/);
  });

  test("the published server-everything that dies in the middle of a call fails the call soon, not at its timeout", async () => {
    const start = performance.now();
    const { error } = await front.call(
      "everything/trigger-long-running-operation",
      { duration: 60, steps: 600 },
      { onprogress: () => void server.stop() },
    );
    assert.equal(error?.code, "UNAVAILABLE");
    assert.ok(performance.now() - start < 20_000);
  });
});

function propertiesOf(schema: unknown): readonly string[] {
  return Object.keys((schema as { readonly properties: object }).properties);
}

function resourceOf(block: Block | undefined): Readonly<Record<string, unknown>> {
  assert.equal(block?.type, "resource");
  return block.resource as Readonly<Record<string, unknown>>;
}
