import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkOutcome, World, withoutStacks } from "../../test/support/call-schedule.ts";
import { settle } from "../../test/support/call-time.ts";
import { scaled } from "../../test/support/scale.ts";

/** `PINHOLE_SCHEDULES=1000000 npm test -- src/protocol/connection-schedules.test.ts` for a long look. */
const SCHEDULES = Number(process.env.PINHOLE_SCHEDULES ?? scaled(1_500, 8_000));
const KINDS = [
  "value",
  "completed",
  "dropped",
  "DRY",
  "INTERNAL",
  "ABORTED",
  "TIMEOUT",
  "SLOW_CONSUMER",
  "RATE_LIMITED",
  "UNAVAILABLE",
];

/** Every three bytes are a step; the first byte is the capacity of the wire. */
const schedules = fc.uint8Array({ minLength: 31, maxLength: 181 });

async function run(schedule: Uint8Array): Promise<World> {
  const world = new World((schedule[0] ?? 0) * 20);
  for (let at = 1; at + 2 < schedule.length; at += 3) {
    const [what = 0, first = 0, second = 0] = schedule.subarray(at, at + 3);
    world.step(what, first, second);
    // Now and then two things happen before anyone can react.
    if (what < 200) await settle();
  }
  await world.finish();
  return world;
}

test("each call ends once in any schedule, for a reason, and nothing is left behind", async () => {
  const seen = new Map<string, number>();
  const property = fc.asyncProperty(schedules, async (schedule) => {
    const world = await run(schedule);
    const [left, right] = world.actors;
    const { reasons, closed, timePassed } = world.happened;
    assert.ok(!reasons.has("protocol"), "neither side breaks the protocol");
    assert.ok(!reasons.has("stalled") || timePassed, "who takes what comes in is not let go");
    assert.ok(reasons.size === 0 || closed || reasons.has("stalled"), "nothing else ends a connection");
    const wasOpen = world.ends.every((end) => end.isOpen);
    if (wasOpen) {
      assert.equal(left.unsettled + right.unsettled, 0, "all ended while the connection was open");
      for (const referee of world.referees) assert.deepEqual(referee.unanswered, []);
    }
    for (const run of [...left.runs, ...right.runs]) {
      assert.ok(run.ended || run.signal.aborted, "a handler ended or was told to");
    }
    for (const { connection, made, faults } of world.actors) {
      assert.deepEqual(faults, []);
      for (const one of made) checkOutcome(one, world.happened);
      assert.deepEqual(connection?.pending(), {
        outgoing: 0,
        incoming: 0,
        incomingStreams: 0,
        waitingForRoom: 0,
      });
    }
    // Only the sweep of each table may still be set, for entries that are gone.
    world.time.pass(1_000_000);
    assert.equal(world.time.running, 0);
    for (const { made } of [left, right]) for (const { outcome } of made) count(seen, outcome);
  });
  await withoutStacks(() => fc.assert(property, { numRuns: SCHEDULES }));
  for (const kind of KINDS) {
    const times = seen.get(kind) ?? 0;
    assert.ok(times > SCHEDULES / 1_000, `${kind} came up ${times} times, so that it was hardly looked at`);
  }
});

function count(seen: Map<string, number>, outcome: World["actors"][0]["made"][0]["outcome"]): void {
  const kind =
    typeof outcome !== "object" ? String(outcome) : "value" in outcome ? "value" : outcome.error.code;
  seen.set(kind, (seen.get(kind) ?? 0) + 1);
}
