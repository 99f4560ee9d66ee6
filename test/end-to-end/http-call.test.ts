import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  CallError,
  defineOperation,
  definePlugin,
  type Identity,
  type OperationContext,
  type Trace,
} from "pinhole/core";
import { DEMO } from "../../src/demo/index.ts";
import { startGateway } from "../../src/gateway/index.ts";
import { createLog } from "../../src/observe/index.ts";
import { deferred } from "../support/deferred.ts";
import { getJson, type HttpOptions, postJson } from "../support/http-wire.ts";
import { sendRaw, writeRequest } from "../support/raw-http.ts";
import { serveRuntime } from "../support/serve.ts";

interface Answer {
  readonly requestId: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown };
  readonly results?: readonly Answer[];
  readonly operations?: readonly { readonly name: string }[];
  readonly groups?: readonly unknown[];
  readonly namespaces?: readonly unknown[];
  readonly missing?: readonly string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PEOPLE: Readonly<Record<string, Identity>> = {
  ada: { id: "ada", authenticated: true, scopes: ["vault"] },
  bob: { id: "bob", authenticated: true, scopes: [] },
};

const fail = defineOperation({
  name: "odd/fail",
  type: "query",
  description: "Fails in the way that it is told.",
  inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
  errors: [
    { code: "NO_MONEY", description: "The account is empty.", httpStatus: 402 },
    { code: "NO_STATUS", description: "It has none." },
  ],
  handler({ code }) {
    throw new CallError(code, "As told.", { details: { retryAfterMs: 1_500 } });
  },
});
const vault = defineOperation({
  name: "odd/vault",
  type: "query",
  description: "Holds something.",
  access: { scopes: ["vault"] },
  handler: () => "gold",
});

describe("the plain HTTP side", () => {
  const hold = deferred<OperationContext>();
  const holding = defineOperation({
    name: "odd/hold",
    type: "query",
    description: "Never answers.",
    handler: (_input, context) => {
      hold.resolve(context);
      return new Promise(() => {});
    },
  });
  const trace = defineOperation({
    name: "odd/trace",
    type: "query",
    description: "Tells its trace.",
    handler: (_input, context): Trace | null => context.trace ?? null,
  });
  const odd = definePlugin({ name: "odd", operations: [fail, vault, holding, trace] });
  let server: Awaited<ReturnType<typeof serveRuntime>>;

  before(async () => {
    server = await serveRuntime({ sources: [...DEMO, odd], resolveIdentity: async (token) => PEOPLE[token] });
  });
  after(() => server.close(0));

  async function post(path: string, body: unknown, options: HttpOptions = {}) {
    const response = await postJson(server.url + path, body, options);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
  }

  async function get(path: string) {
    const response = await getJson(server.url + path);
    return { status: response.status, body: (await response.json()) as Answer };
  }

  test("the plain HTTP side runs a call and answers its output with the request id", async () => {
    const call = { operation: "text/stats", input: { text: "a b" }, select: "words" };
    const { status, headers, body } = await post("/call", call);
    assert.deepEqual([status, body.output], [200, 2]);
    assert.match(body.requestId, UUID);
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
  });

  test("the plain HTTP side takes the names that callers know from elsewhere", async () => {
    for (const input of [
      { args: { text: "a b" } },
      { arguments: { text: "a b" } },
      { input: '{"text":"a b"}' },
    ]) {
      const { body } = await post("/call", { name: "text/stats", ...input, select: "words" });
      assert.equal(body.output, 2);
    }
  });

  test("the plain HTTP side searches by GET and by POST alike", async () => {
    const one = await get("/search?query=count+words&limit=1");
    assert.equal(one.body.operations?.[0]?.name, "text/stats");
    const other = await post("/search", { query: "count words", limit: 1 });
    assert.deepEqual(other.body.operations, one.body.operations);
    assert.equal((await get("/search?query=words&query=clock")).body.groups?.length, 2);
    assert.ok((await get("/search")).body.namespaces);
    const streams = await get("/search?query=countdown&type=subscription");
    assert.equal(streams.body.operations?.[0]?.name, "time/countdown");
  });

  test("the plain HTTP side shows schemas, one or several, and says which are missing", async () => {
    const several = await get("/schema?name=text/stats&name=time/now&name=no/such");
    assert.deepEqual(
      several.body.operations?.map(({ name }) => name),
      ["text/stats", "time/now"],
    );
    assert.deepEqual(several.body.missing, ["no/such"]);
    assert.equal((await post("/schema", { name: "text/stats" })).body.operations?.length, 1);
    assert.equal((await get("/schema")).status, 422);
  });

  test("the plain HTTP side answers a batch with 200, each call for itself", async () => {
    const calls = [
      { operation: "text/stats", input: { text: "a b" }, select: "words" },
      { operation: "text/none" },
      { name: "odd/fail", args: { code: "NO_MONEY" } },
    ];
    const { status, body } = await post("/batch", { calls });
    assert.equal(status, 200);
    assert.deepEqual(
      body.results?.map(({ output, error }) => error?.code ?? output),
      [2, "NOT_FOUND", "NO_MONEY"],
    );
    assert.equal(new Set([body.requestId, ...(body.results ?? []).map((each) => each.requestId)]).size, 4);
    assert.equal((await post("/batch", { calls: Array(51).fill(calls[0]) })).status, 422);
  });

  test("the plain HTTP side has the status of the table for what goes wrong, and the declared one", async () => {
    for (const [call, status, code] of [
      [{ operation: "text/none" }, 404, "NOT_FOUND"],
      [{ operation: "text/stats", input: {} }, 422, "INVALID_INPUT"],
      [{ operation: "text/stats", input: { text: "" }, select: "[?" }, 422, "INVALID_INPUT"],
      [{ operation: "time/countdown", input: { from: 1 } }, 400, "INVALID_OPERATION_TYPE"],
      [{ operation: "odd/fail", input: { code: "NO_MONEY" } }, 402, "NO_MONEY"],
      [{ operation: "odd/fail", input: { code: "NO_STATUS" } }, 500, "NO_STATUS"],
      [{ operation: "odd/fail", input: { code: "UNHEARD_OF" } }, 500, "INTERNAL"],
    ] as const) {
      const { status: seen, body } = await post("/call", call);
      assert.deepEqual([seen, body.error?.code], [status, code], JSON.stringify(call));
      assert.match(body.requestId, UUID);
    }
  });

  test("the plain HTTP side refuses callers by identity: 401 without one, 403 with one", async () => {
    const nobody = await post("/call", { operation: "odd/vault" });
    assert.equal(nobody.status, 401);
    assert.equal(nobody.headers.get("www-authenticate"), 'Bearer realm="pinhole"');
    const bob = await post("/call", { operation: "odd/vault" }, { token: "bob" });
    assert.equal(bob.status, 403);
    const ada = await post("/call", { operation: "odd/vault" }, { token: "ada" });
    assert.deepEqual([ada.status, ada.body.output], [200, "gold"]);
    const wrong = await post("/call", { operation: "text/stats" }, { token: "eve" });
    assert.equal(wrong.status, 401);
    assert.match(wrong.headers.get("www-authenticate") ?? "", /invalid_token/);
  });

  test("the plain HTTP side names the nearest key for one that it does not know, and calls nothing", async () => {
    for (const [path, body] of [
      ["/call", { operaton: "text/stats" }],
      ["/call", { operation: "text/stats", selct: "words" }],
      ["/search", { qeury: "x" }],
      ["/schema", { nmaes: ["x"] }],
      ["/batch", { cals: [] }],
      ["/subscribe", { operation: "time/countdown", inptu: {} }],
    ] as const) {
      const answer = await post(path, body);
      assert.equal(answer.status, 422, path);
      assert.match(
        answer.body.error?.message ?? "",
        /did you mean "(operation|select|query|names|calls|input)"/,
      );
    }
  });

  test("the plain HTTP side refuses bodies that are not JSON objects, with a reason", async () => {
    const send = async (body: string, type = "application/json") => {
      const response = await fetch(`${server.url}/call`, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      const { error } = (await response.json()) as Answer;
      assert.ok(error && error.message.length > 10);
      return response.status;
    };
    assert.equal(await send("{"), 400);
    assert.equal(await send("["), 400);
    assert.equal(await send(""), 400);
    assert.equal(await send("[".repeat(100) + "]".repeat(100)), 400);
    assert.equal(await send(`"${"x".repeat(1_000_001)}"`), 413);
    assert.equal(await send("{}", "text/plain"), 415);
    assert.equal(await send("{}", "application/json-seq"), 415);
    for (const body of ["[]", "null", "1", '"text"']) assert.equal(await send(body), 422, body);
  });

  test("the plain HTTP side answers other methods with those that it has, and other addresses with nothing", async () => {
    for (const [method, path, allow] of [
      ["GET", "/call", "POST"],
      ["PUT", "/search", "GET, HEAD, POST"],
      ["DELETE", "/subscribe", "POST"],
      ["POST", "/openapi.json", "GET, HEAD"],
      ["POST", "/healthz", "GET, HEAD"],
    ] as const) {
      const response = await fetch(server.url + path, { method });
      assert.equal(response.status, 405, path);
      assert.equal(response.headers.get("allow"), allow);
      await response.text();
    }
    const texts = new Set<string>();
    for (const path of ["/", "/call/", "/Call", "/call/x", "/docs", "/openapi.yaml", "/text/stats"]) {
      const response = await fetch(server.url + path);
      assert.equal(response.status, 404, path);
      texts.add(await response.text());
    }
    assert.equal(texts.size, 1);
  });

  test("the plain HTTP side is guarded by host and origin like everything else", async () => {
    const response = await postJson(
      `${server.url}/call`,
      {},
      { headers: { origin: "https://evil.example" } },
    );
    assert.equal(response.status, 403);
    await response.text();
    const bytes = writeRequest({ method: "GET", target: "/search", headers: [["host", "evil.example"]] });
    assert.equal((await sendRaw(new URL(server.url), bytes, { timeoutMs: 20_000 })).status, 403);
  });

  test("the plain HTTP side keeps connections longer than proxies and pools do, so that none ends while a request is on its way", async () => {
    const response = await fetch(`${server.url}/healthz`);
    assert.equal(response.headers.get("keep-alive"), "timeout=75");
    await response.text();
  });

  test("the plain HTTP side takes a trace along, if it is one", async () => {
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const call = { operation: "odd/trace" };
    const traced = await post("/call", call, { headers: { traceparent, tracestate: "x=1" } });
    assert.deepEqual(traced.body.output, { traceparent, tracestate: "x=1" });
    for (const invalid of [
      "no trace",
      `00-${"0".repeat(32)}-${"b".repeat(16)}-01`,
      `00-${"a".repeat(32)}-${"0".repeat(16)}-01`,
      `ff-${"a".repeat(32)}-${"b".repeat(16)}-01`,
      `${traceparent}-more`,
    ]) {
      const { body } = await post("/call", call, { headers: { traceparent: invalid } });
      assert.equal(body.output, null, invalid);
    }
  });

  test("the plain HTTP side aborts the call of a client that goes away", async () => {
    const client = new AbortController();
    const answer = postJson(`${server.url}/call`, { operation: "odd/hold" }, { signal: client.signal });
    const { signal } = await hold.promise;
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    client.abort();
    await assert.rejects(answer);
    await aborted;
    assert.equal((signal.reason as CallError).code, "ABORTED");
  });
});

test("the whole gateway serves it beside MCP, and its document has the version of the package", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const gateway = await startGateway({
    directory,
    watch: false,
    flags: { port: "0" },
    log: createLog("error", () => {}),
  });
  t.after(() => gateway.close());
  const call = { operation: "text/stats", input: { text: "a b" }, select: "words" };
  const { output } = (await (await postJson(`${gateway.url}/call`, call)).json()) as Answer;
  assert.equal(output, 2);
  const document = (await (await getJson(`${gateway.url}/openapi.json`)).json()) as { info: object };
  assert.match(JSON.stringify(document.info), /"version":"\d+\.\d+\.\d+"/);
});
