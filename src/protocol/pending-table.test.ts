import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedTime } from "../../test/support/call-time.ts";
import { PendingTable } from "./pending-table.ts";

function tableOf() {
  const time = new SimulatedTime();
  const expired: string[] = [];
  return { time, expired, table: new PendingTable<string>(time, (entry) => expired.push(entry)) };
}

test("an entry of the pending table can be taken once", () => {
  const { table } = tableOf();
  table.add("1", "one");
  assert.deepEqual([table.has("1"), table.get("1"), table.size], [true, "one", 1]);
  assert.deepEqual([table.take("1"), table.take("1"), table.size], ["one", undefined, 0]);
});

test("entries go when their time is over, each once and in no other's time", () => {
  const { table, time, expired } = tableOf();
  table.add("late", "late", 300);
  table.add("soon", "soon", 100);
  table.add("never", "never");
  table.add("answered", "answered", 50);
  table.take("answered");
  time.pass(99);
  assert.deepEqual(expired, []);
  time.pass(1);
  assert.deepEqual(expired, ["soon"]);
  time.pass(1_000);
  assert.deepEqual(expired, ["soon", "late"]);
  assert.equal(table.size, 1);
});

test("one timer serves all pending entries, and none is left when all are taken", () => {
  const { table, time } = tableOf();
  for (let index = 0; index < 100; index++) table.add(String(index), "x", 1_000 - index);
  assert.equal(time.running, 1);
  assert.equal(table.takeAll().length, 100);
  assert.deepEqual([table.size, time.running], [0, 0]);
});

test("an expiring entry may add and take entries of the pending table", () => {
  const time = new SimulatedTime();
  const seen: string[] = [];
  const table = new PendingTable<string>(time, (entry) => {
    seen.push(entry);
    table.take("other");
    if (entry === "first") table.add("second", "second", 10);
  });
  table.add("first", "first", 10);
  table.add("other", "other", 20);
  time.pass(100);
  assert.deepEqual(seen, ["first", "second"]);
});
