import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { defineOperation, definePlugin } from "pinhole/core";
import { DEMO } from "../../src/demo/index.ts";
import { type Gateway, startGateway } from "../../src/gateway/index.ts";
import { createLog } from "../../src/observe/index.ts";
import { awakeTime } from "../support/awake-time.ts";
import { deferred } from "../support/deferred.ts";
import { eventsOf, postJson } from "../support/http-wire.ts";
import { serveRuntime } from "../support/serve.ts";

interface Answer {
  readonly output?: { readonly output?: unknown; readonly operations?: readonly { readonly name: string }[] };
  readonly error?: { readonly code: string; readonly details?: { readonly body?: Answer } };
}

const EVENTS = 10_000;
const LARGE = "x".repeat(256 * 1024);
/** What the sockets of two hops may hold, and the buffers of the client between them, generously. */
const SOCKETS_HOLD = 48 * 1024 * 1024;

describe("a gateway behind a gateway, imported by its own document", () => {
  const seen = { made: 0, started: deferred<void>(), ended: deferred<number>() };
  let inner: Awaited<ReturnType<typeof serveRuntime>>;
  let outer: Gateway;
  let directory: string;

  const count = defineOperation({
    name: "stream/count",
    type: "subscription",
    description: "Counts.",
    async *handler() {
      for (let each = 0; each < EVENTS; each++) yield { each };
    },
  });
  const large = defineOperation({
    name: "stream/large",
    type: "subscription",
    description: "Streams for ever.",
    async *handler() {
      seen.started.resolve();
      try {
        while (true) {
          seen.made++;
          yield LARGE;
        }
      } finally {
        seen.ended.resolve(awakeTime());
      }
    },
  });

  before(async () => {
    const stream = definePlugin({ name: "stream", operations: [count, large] });
    inner = await serveRuntime({ sources: [...DEMO, stream] });
    directory = await mkdtemp(join(tmpdir(), "pinhole-"));
    const source = `{ openapi: "${inner.url}/openapi.json", allowPrivate: true, external: "*" }`;
    await writeFile(join(directory, "pinhole.yaml"), `sources:\n  inner: ${source}\n`);
    const log = createLog("error", () => {});
    outer = await startGateway({ directory, watch: false, flags: { port: "0" }, log });
  });
  after(async () => {
    await outer.close();
    await inner.close(0);
    await rm(directory, { recursive: true, force: true });
  });

  async function call(operation: string, input: object): Promise<Answer> {
    return (await (await postJson(`${outer.url}/call`, { operation, input })).json()) as Answer;
  }

  test("a gateway imported by its own document reaches the same operations, and their errors", async () => {
    const body = { operation: "text/stats", input: { text: "a b" }, select: "words" };
    assert.equal((await call("inner/call", { body })).output?.output, 2);
    const found = await call("inner/search", { query: ["count words"], limit: 2 });
    assert.equal(found.output?.operations?.[0]?.name, "text/stats");
    const schema = await call("inner/schema", { name: ["text/stats", "time/now"] });
    assert.equal(schema.output?.operations?.length, 2);
    const { error } = await call("inner/call", { body: { operation: "no/such" } });
    assert.deepEqual([error?.code, error?.details?.body?.error?.code], ["HTTP_404", "NOT_FOUND"]);
  });

  test("a gateway imported by its own document brings 10,000 events of a stream in order, and its end once", async (t) => {
    const started = performance.now();
    const input = { body: { operation: "stream/count" } };
    const response = await postJson(`${outer.url}/subscribe`, { operation: "inner/subscribe", input });
    let next = 0;
    let ends = 0;
    for await (const { event, data } of eventsOf(response)) {
      if (event === "message") assert.deepEqual(data, { each: next++ });
      else ends++;
    }
    assert.deepEqual([next, ends], [EVENTS, 1]);
    t.diagnostic(`${EVENTS} events over two hops in ${Math.round(performance.now() - started)} ms.`);
  });

  test("a gateway imported by its own document slows the inner handler down for a reader that takes nothing, and ends it within a second of that going", async (t) => {
    const url = new URL(outer.url);
    const input = { body: { operation: "stream/large" } };
    const body = JSON.stringify({ operation: "inner/subscribe", input });
    const socket = connect(Number(url.port), url.hostname);
    socket.pause();
    socket.write(
      `POST /subscribe HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await seen.started.promise;
    for (let before = -1; before !== seen.made; ) {
      before = seen.made;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    t.diagnostic(`The inner handler made ${seen.made} items of 256 KiB for a reader that took none.`);
    assert.ok(seen.made * LARGE.length < SOCKETS_HOLD, `${seen.made} items were made.`);
    const gone = awakeTime();
    socket.destroy();
    const late = (await seen.ended.promise) - gone;
    assert.ok(late < 1_000, `${late} ms`);
  });
});
