import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedTime } from "../../../test/support/call-time.ts";
import { WireEnd } from "../../../test/support/call-wire.ts";
import { CallError } from "../../core/index.ts";
import { createConnection } from "../../protocol/index.ts";
import { followChanges } from "./follow-changes.ts";

test("a node that never says that it tells of changes is not waited for for ever", async () => {
  const [here, there] = [new WireEnd({ capacity: 10_000 }), new WireEnd({ capacity: 10_000 })];
  here.join(there);
  there.open({ message: () => {}, drained: () => {}, closed: () => {} });
  const connection = createConnection({ transport: here, timers: new SimulatedTime() });
  const follower = {
    changed: () => assert.fail("Nothing has changed."),
    lost: () => assert.fail("It never began."),
  };
  const isLate = (error: unknown) => error instanceof CallError && error.code === "TIMEOUT";
  await assert.rejects(followChanges(connection, {}, follower, 20), isLate);
  assert.equal(connection.pending().outgoing, 0, "the other side is told that nobody waits");
});
