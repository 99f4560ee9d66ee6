import assert from "node:assert/strict";
import { test } from "node:test";
import { costOfConversation, meanConversation } from "./conversation.ts";
import type { Outcome } from "./strategy.ts";

const TASK: Outcome = {
  menu: 100,
  menuIsOfTask: false,
  exchanges: [{ wrote: 10, read: 50 }],
  roundTrips: 1,
  seenFirst: true,
  seen: true,
  callFrame: 5,
};

test("each turn sends menu and history again, and only what is added is new to the cache", () => {
  // Turns read 100, 160, 165; then 165, 225, 230.
  assert.deepEqual(costOfConversation([TASK, TASK]), {
    turns: 6,
    read: 1_045,
    fresh: 230,
    written: 30,
    cost: 230 + 0.1 * 815 + 5 * 30,
  });
});

test("a menu of its own for each task makes the history new each time", () => {
  const filtered = { ...TASK, menuIsOfTask: true, exchanges: [] };
  // Turns read 100, 105; then 105, 110. The second task begins with 105 that no cache has.
  const { turns, read, fresh } = costOfConversation([filtered, filtered]);
  assert.deepEqual({ turns, read, fresh }, { turns: 4, read: 420, fresh: 215 });
});

test("a task whose tool was not seen ends without a call", () => {
  const { turns, written } = costOfConversation([{ ...TASK, seen: false, seenFirst: false, callFrame: 0 }]);
  assert.deepEqual({ turns, written }, { turns: 2, written: 10 });
});

test("the mean is over whole conversations, and undefined without one", () => {
  const ten = Array.from({ length: 10 }, () => TASK);
  assert.deepEqual(meanConversation([...ten, ...ten, TASK, TASK]), meanConversation(ten));
  assert.throws(() => meanConversation(ten.slice(1)), /needs 10 tasks; there are 9/);
});
