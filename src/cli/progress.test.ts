import assert from "node:assert/strict";
import { test } from "node:test";
import { withProgress } from "./terminal.ts";

test("progress is shown for work that takes longer than a second, until it ends", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const shown: string[] = [];
  let finish = (_: string) => {};
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const answer = withProgress({ status: (text) => void shown.push(text) }, "Looking", () => work);
  t.mock.timers.tick(999);
  assert.deepEqual(shown, []);
  t.mock.timers.tick(1);
  t.mock.timers.tick(2_000);
  finish("done");
  assert.equal(await answer, "done");
  assert.equal(shown[0], "Looking … 1 s");
  assert.deepEqual(shown.slice(-2), ["Looking … 3 s", ""]);
});

test("progress leaves no line behind for quick or failed work", async () => {
  const shown: string[] = [];
  const terminal = { status: (text: string) => void shown.push(text) };
  assert.equal(await withProgress(terminal, "Looking", async () => 7), 7);
  await assert.rejects(
    withProgress(terminal, "Looking", () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.deepEqual(shown, []);
});
