import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ANONYMOUS, CallError, createDispatch, createSchemaValidator, createSelector } from "pinhole/core";
import { stringify } from "yaml";
import { startGateway } from "../../src/gateway/gateway.ts";
import { createLog } from "../../src/observe/log.ts";
import { awakeTime } from "../support/awake-time.ts";
import { documentOf, startLocalApi } from "../support/local-api.ts";

const CALLER = { identity: ANONYMOUS };
/** More events than fit between a service and a reader that has stopped: 24 MiB. */
const MOST_HELD = 100_000;

/** A gateway in front of the local API, whose document lies in a file unless it is told otherwise. */
async function start(t: TestContext, settings: object = {}) {
  const api = await startLocalApi();
  const directory = mkdtempSync(join(tmpdir(), "pinhole-openapi-"));
  t.after(async () => {
    await api.close();
    rmSync(directory, { recursive: true });
  });
  const file = join(directory, "shop.yaml");
  const secret = join(directory, "secret");
  writeFileSync(file, stringify(documentOf(api.url)));
  writeFileSync(secret, "s3cret\n");
  const source = {
    openapi: "./shop.yaml",
    allowPrivate: true,
    external: "*",
    token: { file: "secret" },
    ...settings,
  };
  writeFileSync(join(directory, "pinhole.yaml"), stringify({ sources: { shop: source } }));
  const gateway = await startGateway({
    directory,
    log: createLog("error"),
    watch: false,
    flags: { port: "0" },
  });
  t.after(() => gateway.close());
  const { registry } = gateway;
  const dispatch = createDispatch({
    registry,
    validator: createSchemaValidator(),
    selector: createSelector(),
  });
  const names = () =>
    registry
      .snapshot()
      .entries()
      .map(({ registration }) => registration.spec.name)
      .filter((name) => name.startsWith("shop/"));
  const call = (operation: string, input: object = {}) => dispatch.invoke({ operation, input }, CALLER);
  return { api, gateway, dispatch, names, call, file };
}

async function failure(work: Promise<unknown>): Promise<CallError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof CallError);
  return thrown;
}

test("an API comes in by its document and is called with the configured secret", async (t) => {
  const { api, names, call, gateway } = await start(t);
  assert.deepEqual(names(), ["shop/getItem", "shop/readFlaky", "shop/watch", "shop/writeFlaky"]);
  assert.equal(gateway.registry.snapshot().sources.get("shop")?.source.description, "Sells things.");
  assert.deepEqual(await call("shop/getItem", { id: "1" }), { id: "1" });
  assert.equal(api.lastHeaders().authorization, "Bearer s3cret");

  const missing = await failure(call("shop/getItem", { id: "a/b" }));
  assert.deepEqual(
    [missing.code, missing.details],
    ["HTTP_404", { status: 404, body: { message: "No such item" } }],
  );
  assert.equal(api.asked.at(-1), "GET /items/a%2Fb");
  for (const input of [{}, { id: "a/../b" }, { id: ".." }])
    assert.equal((await failure(call("shop/getItem", input))).code, "INVALID_INPUT");
});

test("a query is tried again, a mutation is not; a status that the document does not tell of passes too", async (t) => {
  const { api, call } = await start(t);
  assert.equal(await call("shop/readFlaky"), "awake");
  assert.deepEqual(api.asked, ["GET /flaky", "GET /flaky"]);
  const error = await failure(call("shop/writeFlaky"));
  assert.deepEqual(
    [error.code, error.retryable, error.details],
    ["HTTP_503", true, { status: 503, body: { message: "Resting" } }],
  );
  assert.deepEqual(api.asked.slice(2), ["POST /flaky"]);
});

test("a reload reads the document again; one that is broken leaves what was there", async (t) => {
  const { api, gateway, names, file } = await start(t);
  writeFileSync(
    file,
    stringify(documentOf(api.url, { "/more": { get: { operationId: "more", responses: {} } } })),
  );
  await gateway.reload();
  assert.ok(names().includes("shop/more"));
  writeFileSync(file, "openapi: [");
  await gateway.reload();
  assert.ok(names().includes("shop/more"));
});

test("names and descriptions can be said anew, and the server be another", async (t) => {
  const { api, gateway, names } = await start(t, {
    server: "https://elsewhere.example.com",
    operations: { getItem: { name: "item", description: "One item." } },
  });
  assert.ok(names().includes("shop/item"));
  const entry = gateway.registry.snapshot().find("shop/item");
  assert.equal(entry?.registration.spec.description, "One item.");
  assert.equal(api.asked.length, 0);
});

test("a document at an address that does not answer takes nothing down", async (t) => {
  const { names } = await start(t, { openapi: "http://127.0.0.1:9/openapi.json" });
  assert.deepEqual(names(), []);
});

test("a document at an address is read from there", async (t) => {
  const elsewhere = await startLocalApi();
  t.after(() => elsewhere.close());
  const { names, call } = await start(t, { openapi: `${elsewhere.url}/openapi.json` });
  assert.equal(names().length, 4);
  assert.deepEqual(await call("shop/getItem", { id: "1" }), { id: "1" });
  assert.deepEqual(elsewhere.asked, ["GET /openapi.json", "GET /items/1"]);
});

test("10,000 events arrive in order", async (t) => {
  const { dispatch } = await start(t);
  let next = 0;
  for await (const item of await dispatch.invokeStreaming(
    { operation: "shop/watch", input: { count: 10_000 } },
    CALLER,
  )) {
    assert.equal((item as { n: number }).n, next++);
  }
  assert.equal(next, 10_000);
});

test("a slow reader makes the service wait, and one that goes is noticed there", async (t) => {
  const { api, dispatch } = await start(t);
  const items = await dispatch.invokeStreaming({ operation: "shop/watch", input: {} }, CALLER);
  for (let count = 0; count < 10; count++) await items.next();
  // Until it has not been asked for more for a while.
  for (let before = -1; before !== api.eventsWritten(); ) {
    before = api.eventsWritten();
    assert.ok(before < MOST_HELD, `${before} events were written`);
    await sleep(300);
  }
  const gone = awakeTime();
  await items.return?.();
  await api.streamLost;
  assert.ok(awakeTime() - gone < 1_000);
});

test("a caller who aborts while a stream is silent or busy ends it at the service within a second", async (t) => {
  const { api, dispatch } = await start(t);
  const stop = new AbortController();
  const items = await dispatch.invokeStreaming(
    { operation: "shop/watch", input: {} },
    { ...CALLER, signal: stop.signal },
  );
  await items.next();
  const gone = awakeTime();
  stop.abort();
  await api.streamLost;
  assert.ok(awakeTime() - gone < 1_000);
  await assert.rejects(
    async () => {
      for await (const _ of items) void _;
    },
    { code: "ABORTED" },
  );
});
