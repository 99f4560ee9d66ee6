import assert from "node:assert/strict";
import { test } from "node:test";
import { UnaskedStream } from "./unasked-stream.ts";

test("a stream that never was open cannot be lost, one that was open can", () => {
  let losses = 0;
  const stream = new UnaskedStream(() => losses++);
  stream.failed();
  assert.equal(losses, 0);
  stream.opened();
  stream.failed();
  assert.equal(losses, 1);
});

test("whether there is a stream is known once it is open, or cannot be opened", async () => {
  for (const end of ["opened", "failed"] as const) {
    let isKnown = false;
    const stream = new UnaskedStream(() => {});
    void stream.settled.then(() => {
      isKnown = true;
    });
    await Promise.resolve();
    assert.equal(isKnown, false);
    stream[end]();
    await stream.settled;
    assert.equal(isKnown, true);
  }
});

test("a stream that ends again and again is opened ever more seldom, and soon after one that lasted", (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  t.mock.method(performance, "now", () => Date.now());
  const stream = new UnaskedStream(() => {});
  const pauses = Array.from({ length: 12 }, () => {
    stream.opened();
    t.mock.timers.tick(5_000);
    return stream.pause();
  });
  assert.deepEqual(pauses.slice(0, 4), [250, 500, 1_000, 2_000]);
  assert.equal(pauses.at(-1), 60_000);
  stream.opened();
  t.mock.timers.tick(10_000);
  assert.equal(stream.pause(), 250);
});
