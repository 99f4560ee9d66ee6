import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OpenAPIBackend, type Document as OpenApiDocument } from "openapi-backend";
import createClient from "openapi-fetch";
import { DEMO } from "../../src/demo/index.ts";
import { serveRuntime } from "../support/serve.ts";

interface Failure {
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

interface Answers<Success> {
  readonly 200: { readonly content: { readonly "application/json": Success } };
  readonly default: { readonly content: { readonly "application/json": Failure } };
}

interface Call {
  readonly operation: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly select?: string;
}

interface Hits {
  readonly operations: { readonly name: string }[];
  readonly requestId: string;
}

/** What a generator writes for the document, as far as this test uses it. */
interface Paths {
  readonly "/search": {
    readonly get: {
      readonly parameters: { readonly query?: { readonly query?: string[]; readonly limit?: number } };
      readonly responses: Answers<Hits>;
    };
  };
  readonly "/schema": {
    readonly get: {
      readonly parameters: { readonly query: { readonly name: string[] } };
      readonly responses: Answers<Hits>;
    };
  };
  readonly "/call": {
    readonly post: {
      readonly requestBody: { readonly content: { readonly "application/json": Call } };
      readonly responses: Answers<{ readonly output: unknown; readonly requestId: string }>;
    };
  };
  readonly "/batch": {
    readonly post: {
      readonly requestBody: { readonly content: { readonly "application/json": { readonly calls: Call[] } } };
      readonly responses: Answers<{ readonly results: { readonly output?: unknown }[] }>;
    };
  };
}

describe("a client that is made from the document", () => {
  let server: Awaited<ReturnType<typeof serveRuntime>>;
  let client: ReturnType<typeof createClient<Paths>>;
  let backend: OpenAPIBackend;
  /** What openapi-backend, which knows nothing but the document, has against requests and answers. */
  const complaints: string[] = [];
  let checked = 0;

  before(async () => {
    server = await serveRuntime({ sources: DEMO });
    const definition = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
    // Quick: its own check of documents knows no 3.1; that ours is valid is tested beside the document.
    backend = new OpenAPIBackend({ definition, quick: true, ajvOpts: { strict: false } });
    await backend.init();
    client = createClient<Paths>({ baseUrl: server.url, fetch: checkedFetch });
  });
  after(() => server.close(0));

  async function checkedFetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const body = request.method === "POST" ? await request.clone().json() : undefined;
    const headers = Object.fromEntries(request.headers);
    const seen = { method: request.method, path: pathname, headers, query: search.slice(1), body };
    const operation = backend.router.matchOperation(seen, true) ?? assert.fail(pathname);
    const asked = backend.validateRequest(seen, operation);
    if (!asked.valid) complaints.push(`request ${pathname}: ${JSON.stringify(asked.errors)}`);
    const response = await fetch(request);
    const answer = await response.clone().json();
    const answered = backend.validateResponse(answer, operation, response.status);
    if (!answered.valid) complaints.push(`answer ${pathname}: ${JSON.stringify(answered.errors)}`);
    checked++;
    return response;
  }

  test("a client that is made from the document finds, describes and runs operations, and its requests and answers fit the document", async () => {
    const found = await client.GET("/search", { params: { query: { query: ["count words"], limit: 3 } } });
    assert.equal(found.data?.operations[0]?.name, "text/stats");
    const name = ["text/stats", "time/now"];
    const described = await client.GET("/schema", { params: { query: { name } } });
    assert.equal(described.data?.operations.length, 2);
    const body = { operation: "text/stats", input: { text: "a b" }, select: "words" };
    const called = await client.POST("/call", { body });
    assert.equal(called.data?.output, 2);
    const batch = await client.POST("/batch", { body: { calls: [body, { operation: "no/such" }] } });
    assert.deepEqual(
      batch.data?.results.map(({ output }) => output),
      [2, undefined],
    );
    const failed = await client.POST("/call", { body: { operation: "text/stat" } });
    assert.equal(failed.error?.error.code, "NOT_FOUND");
    const declared = await client.POST("/call", {
      body: { operation: "time/now", input: { timeZone: "Nowhere/At_All" } },
    });
    assert.equal(declared.error?.error.code, "UNKNOWN_TIME_ZONE");
    assert.deepEqual(complaints, []);
    assert.equal(checked, 6);
    // It would have complained.
    const empty = {
      method: "POST",
      path: "/call",
      headers: { "content-type": "application/json" },
      body: {},
    };
    assert.equal(backend.validateRequest(empty, "call").valid, false);
    assert.equal(backend.validateResponse({ output: 2 }, "call", 200).valid, false);
    assert.equal(backend.validateResponse({ output: 2 }, "call", 404).valid, false);
  });

  test("a client that is made from the document gets what it expects for the example of every address", async () => {
    for (const { method, path, requestBody, responses } of backend.router.getOperations()) {
      const { content } = (requestBody ?? {}) as { content?: Record<string, { example: object }> };
      const example = content?.["application/json"]?.example;
      const response = await fetch(`${server.url}${path}${path === "/schema" ? "?name=text/stats" : ""}`, {
        method,
        ...(example && {
          headers: { "content-type": "application/json" },
          body: JSON.stringify(example),
        }),
      });
      assert.equal(response.status, 200, `${method} ${path}`);
      const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
      const { "200": success } = responses as Record<string, { content: object }>;
      assert.ok(success && type in success.content, `${path}: ${type}`);
      await response.body?.cancel();
    }
  });
});
