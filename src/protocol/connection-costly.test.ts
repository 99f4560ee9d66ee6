import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../../test/support/call-time.ts";
import { type SeenEnvelope, WireEnd } from "../../test/support/call-wire.ts";
import { CallError } from "../core/index.ts";
import { createConnection } from "./index.ts";

/** A connection that answers all calls alike, and the other end of its wire to be used by hand. */
function connect(answer: unknown) {
  const sent: SeenEnvelope[] = [];
  const here = new WireEnd({ capacity: 1_000_000, onSent: (seen) => sent.push(seen) });
  const there = new WireEnd({ capacity: 1_000_000 });
  here.join(there);
  there.open({ message: () => {}, drained: () => {}, closed: () => {} });
  const subscribe = () => Promise.reject(new Error("There are no streams."));
  const connection = createConnection({ transport: here, service: { call: async () => answer, subscribe } });
  async function receive(type: string, id: string, payload: object): Promise<void> {
    there.send(JSON.stringify({ type, id, payload }));
    there.deliver(1_000_000);
    await settle();
  }
  return { connection, sent, receive };
}

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (thrown) => (thrown instanceof CallError ? thrown.code : `not a CallError: ${thrown}`),
  );
}

test("an envelope of tens of thousands of different keys ends only its own call, and is not sent", async () => {
  const keys = Object.fromEntries(Array.from({ length: 10_050 }, (_, n) => [`k${n}`, 0]));
  const { connection, sent, receive } = connect(keys);
  await receive("call.requested", "asked", { operationId: "/a/b", input: keys });
  await receive("call.requested", "answered", { operationId: "/a/b" });
  assert.equal(await codeOf(connection.call("demo/first", keys)), "INVALID_INPUT");
  assert.deepEqual(
    sent.map(({ type, id, payload }) => [type, id, payload.code]),
    [
      ["call.error", "asked", "INVALID_INPUT"],
      ["call.error", "answered", "RESULT_TOO_LARGE"],
    ],
  );
  assert.match(String(sent[0]?.payload.message), /more than 10000 different keys.*Send a list/);
  const waits = codeOf(connection.call("demo/second"));
  await receive("call.responded", String(sent[2]?.id), { output: keys });
  assert.equal(await waits, "OUTPUT_INVALID");
  const goesOn = codeOf(connection.call("demo/third"));
  await receive("call.responded", String(sent[3]?.id), { output: 1 });
  assert.equal(await goesOn, "ok");
  await receive("call.credit", "1", { n: 1, keys });
  assert.equal((await connection.closed).code, "protocol");
});
