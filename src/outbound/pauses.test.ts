import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createOutbound, type OutboundOptions } from "./outbound.ts";
import { OutboundError } from "./outbound-error.ts";

/** A service that refuses the first requests, and a client whose clock moves only when it waits. */
async function limited(
  t: TestContext,
  {
    refusals = 1,
    status = 429,
    retryAfter = "7",
  }: { refusals?: number; status?: number; retryAfter?: string } = {},
  options: OutboundOptions = {},
) {
  const seen: { readonly account: string | undefined; readonly at: number }[] = [];
  let clock = 0;
  const answer = (response: ServerResponse, isRefused: boolean) => {
    response.writeHead(isRefused ? status : 200, isRefused ? { "retry-after": retryAfter } : {});
    response.end("answer");
  };
  const server = createServer((request, response) => {
    seen.push({ account: request.headers.authorization, at: clock });
    answer(response, seen.length <= refusals);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
  const waits: number[] = [];
  const outbound = createOutbound({
    allowPrivate: true,
    random: () => 1,
    now: () => clock,
    async delay(milliseconds) {
      waits.push(milliseconds);
      clock += milliseconds;
    },
    ...options,
  });
  t.after(async () => {
    await outbound.close();
    server.close();
  });
  const send = (more: object = {}) => outbound.send({ method: "GET", url, repeatable: true, ...more });
  const failure = async (work: Promise<unknown>): Promise<OutboundError> => {
    const error = await work.then(
      () => assert.fail("it should have failed"),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof OutboundError, String(error));
    return error;
  };
  return {
    outbound,
    url,
    seen,
    waits,
    send,
    failure,
    pass: (milliseconds: number) => (clock += milliseconds),
  };
}

test("no call is sent out before the time that a service asked for, whichever call heard it", async (t) => {
  const { seen, waits, send, failure } = await limited(t, { refusals: 1 });
  const told = await failure(send({ repeatable: false }));
  assert.deepEqual([told.kind, told.retryAfterMs, told.status], ["rate-limited", 7_000, 429]);
  assert.equal((await send({ deadline: performance.now() + 30_000 })).status, 200);
  assert.deepEqual(waits, [7_000]);
  assert.deepEqual(
    seen.map(({ at }) => at),
    [0, 7_000],
  );
});

test("a request whose deadline ends earlier is refused at once, with the time that is left", async (t) => {
  const { seen, waits, send, failure, pass } = await limited(t);
  await failure(send({ repeatable: false }));
  pass(2_000);
  const told = await failure(send({ deadline: performance.now() + 4_000 }));
  assert.deepEqual([told.kind, told.retryAfterMs, told.status], ["rate-limited", 5_000, undefined]);
  assert.deepEqual([waits, seen.length], [[], 1]);
});

test("a query waits once: a service that asks again is not waited for again", async (t) => {
  const { seen, waits, send, failure } = await limited(t, { refusals: 10 });
  const told = await failure(send({ deadline: performance.now() + 30_000 }));
  assert.deepEqual([told.kind, told.retryAfterMs], ["rate-limited", 7_000]);
  assert.deepEqual([waits, seen.length], [[7_000], 2]);
});

test("a mutation that was not sent waits too, and is sent once", async (t) => {
  const { seen, waits, send, failure } = await limited(t, { refusals: 1 });
  await failure(send({ method: "POST", repeatable: false }));
  assert.equal((await send({ method: "POST", repeatable: false })).status, 200);
  assert.deepEqual([waits, seen.length], [[7_000], 2]);
});

test("fetch fails at once while a service is left alone, and goes on after it", async (t) => {
  const { outbound, url, seen, failure, pass } = await limited(t);
  const first = await outbound.fetch(url);
  assert.equal(first.status, 429);
  await first.text();
  assert.equal((await failure(outbound.fetch(url))).retryAfterMs, 7_000);
  assert.equal(seen.length, 1);
  pass(7_000);
  assert.equal(await (await outbound.fetch(url)).text(), "answer");
});

test("who has another credential is not held up, however it is shown", async (t) => {
  const { outbound, url, seen, send, failure } = await limited(t);
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  await failure(send({ ...as("ann"), repeatable: false }));
  assert.equal((await send(as("bob"))).status, 200);
  assert.equal((await send({ account: "key-of-bob" })).status, 200);
  await failure(outbound.fetch(url, as("ann")));
  assert.equal(seen.length, 3);
});

test("a 503 that says how long to wait counts as a 429 does; one that does not say is simply tried again", async (t) => {
  const said = await limited(t, { status: 503 });
  const told = await said.failure(said.send({ repeatable: false }));
  assert.deepEqual([told.kind, told.retryAfterMs], ["rate-limited", 7_000]);
  await said.failure(said.outbound.fetch(said.url));
  const unsaid = await limited(t, { status: 503, retryAfter: "soon" });
  assert.equal((await unsaid.send()).status, 200);
  assert.deepEqual(unsaid.waits, [250]);
});

test("a service that asks for a year is left alone for ten minutes", async (t) => {
  const { outbound, url, send, failure, pass } = await limited(t, { retryAfter: "31536000" });
  assert.equal((await failure(send())).retryAfterMs, 600_000);
  pass(599_999);
  assert.equal((await failure(outbound.fetch(url))).retryAfterMs, 1);
  pass(1);
  assert.equal((await outbound.fetch(url)).status, 200);
});

test("a shorter time does not end a longer one", async (t) => {
  const server = createServer(({ url }, response) => {
    response.writeHead(429, { "retry-after": url === "/long" ? "60" : "1" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outbound = createOutbound({ allowPrivate: true, now: () => 0 });
  t.after(async () => {
    await outbound.close();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = await Promise.all(["/long", "/short"].map((path) => outbound.fetch(origin + path)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [429, 429],
  );
  const error = await outbound.fetch(origin).catch((thrown: OutboundError) => thrown);
  assert.ok(error instanceof OutboundError && error.retryAfterMs === 60_000);
});
