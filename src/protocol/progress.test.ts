import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedTime, settle } from "../../test/support/call-time.ts";
import { type SeenEnvelope, WireEnd } from "../../test/support/call-wire.ts";
import type { Progress } from "../core/index.ts";
import { createConnection } from "./connection.ts";
import type { CallReport } from "./ports.ts";

/** A connection whose calls do not end by themselves, and the other end of its wire to be used by hand. */
function connect() {
  const time = new SimulatedTime();
  const sent: SeenEnvelope[] = [];
  const reports: CallReport[] = [];
  const here = new WireEnd({ capacity: 1_000_000, onSent: (seen) => sent.push(seen) });
  const there = new WireEnd({ capacity: 1_000_000 });
  here.join(there);
  there.open({ message: () => {}, drained: () => {}, closed: () => {} });
  const connection = createConnection({
    transport: here,
    timers: time,
    service: {
      call: (_request, _signal, report) => {
        reports.push(report);
        return new Promise(() => {});
      },
      subscribe: () => assert.fail("nothing streams"),
    },
  });
  const receive = async (type: string, id: string, payload: object) => {
    there.send(JSON.stringify({ type, id, payload }));
    there.deliver(1_000_000);
    await settle();
  };
  return { connection, time, sent, reports, receive };
}

test("progress is sent to callers that ask for it, ten times a second at most, and only where it is a number", async () => {
  const { time, sent, reports, receive } = connect();
  await receive("call.requested", "asks", { operationId: "/a/b", progress: true });
  await receive("call.requested", "silent", { operationId: "/a/b" });
  const [asks, silent] = reports;
  silent?.progress({ progress: 1 });
  asks?.progress({ progress: Number.NaN });
  asks?.progress({ progress: 1, total: Number.POSITIVE_INFINITY, message: "x".repeat(5_000) });
  for (let more = 0; more < 1_000; more++) asks?.progress({ progress: 2 });
  time.pass(100);
  asks?.progress({ progress: 3, total: 4 });
  await receive("call.aborted", "asks", {});
  time.pass(100);
  asks?.progress({ progress: 4 });
  assert.deepEqual(
    sent.map(({ type, id, payload }) => [type, id, payload]),
    [
      ["call.progress", "asks", { progress: 1, message: "x".repeat(4_096) }],
      ["call.progress", "asks", { progress: 3, total: 4 }],
    ],
  );
});

test("progress reaches the caller with what it has and nothing else, and not too often", async () => {
  const { connection, time, sent, receive } = connect();
  const told: Progress[] = [];
  void connection.call("a/b", {}, { onProgress: (update) => told.push(update) }).catch(() => {});
  const { id = "", payload } = sent[0] ?? {};
  assert.equal(payload?.progress, true);
  await receive("call.progress", id, { progress: 1, total: 2, message: "half", secret: "kept" });
  await receive("call.progress", id, { progress: 2 });
  time.pass(50);
  await receive("call.progress", id, { progress: 3 });
  assert.deepEqual(told, [{ progress: 1, total: 2, message: "half" }, { progress: 3 }]);
  for (let more = 0; more < 2_500; more++) await receive("call.progress", id, { progress: 4 });
  assert.equal((await connection.closed).code, "flooded");
});

test("progress that is not a number breaks the protocol", async () => {
  const { connection, receive } = connect();
  await receive("call.progress", "x", { progress: "far" });
  assert.equal((await connection.closed).code, "protocol");
});
