import assert from "node:assert/strict";
import { test } from "node:test";
import { SLICE_MS, Slices, type Steps, type Turns } from "./slices.ts";

/** A clock that stands still until a step takes its time, and turns that come when they are called. */
function createTurns() {
  let time = 0;
  let due: (() => void)[] = [];
  const turns: Turns = { now: () => time, later: (callback) => void due.push(callback) };
  return {
    turns,
    take: (ms: number) => {
      time += ms;
    },
    /** The next turn of the event loop, and all that follows from it. */
    async next() {
      const now = due;
      due = [];
      for (const callback of now) callback();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function* stepsOf(count: number, step: (number: number) => void): Steps<string> {
  for (let number = 0; number < count; number++) yield step(number);
  return "done";
}

test("work goes on while there is time, then waits for the next turn", async () => {
  const { turns, take, next } = createTurns();
  const seen: number[] = [];
  const result = new Slices(turns).run(
    stepsOf(10, (number) => {
      seen.push(number);
      take(SLICE_MS / 3);
    }),
  );
  const inFirstTurn = seen.length;
  assert.ok(inFirstTurn >= 3 && inFirstTurn <= 4, `${inFirstTurn} steps in one turn`);
  for (let turn = 0; turn < 4; turn++) {
    const before = seen.length;
    await next();
    assert.ok(seen.length - before <= 4);
  }
  assert.equal(await result, "done");
  assert.equal(seen.length, 10);
});

test("concurrent work shares the time of a turn and continues in order", async () => {
  const { turns, take, next } = createTurns();
  const slices = new Slices(turns);
  const seen: string[] = [];
  const work = (name: string) =>
    slices.run(
      stepsOf(3, () => {
        seen.push(name);
        take(SLICE_MS);
      }),
    );
  const all = Promise.all([work("a"), work("b")]);
  await next();
  const perTurn: string[] = [];
  while (seen.length < 6) {
    const before = seen.length;
    await next();
    perTurn.push(seen.slice(before).join(""));
  }
  await next();
  await all;
  assert.ok(perTurn.every((done) => done.length <= 1));
  assert.ok(seen.join("").includes("abab") || seen.join("").includes("baba"), seen.join(""));
});

test("a turn in which nothing was done before has its whole time", async () => {
  const { turns, take, next } = createTurns();
  const slices = new Slices(turns);
  assert.equal(slices.pause(), undefined);
  take(SLICE_MS);
  await next();
  assert.equal(slices.pause(), undefined);
  take(SLICE_MS);
  assert.ok(slices.pause() instanceof Promise);
});

test("a step that fails ends its work alone", async () => {
  const { turns, next } = createTurns();
  const slices = new Slices(turns);
  const failing = slices.run(
    stepsOf(1, () => {
      throw new Error("broken");
    }),
  );
  await assert.rejects(failing, /broken/);
  await next();
  assert.equal(await slices.run(stepsOf(1, () => {})), "done");
});

test("work that cannot be cut starts only in a turn that has time for it", async () => {
  const { turns, take, next } = createTurns();
  const slices = new Slices(turns);
  assert.equal(slices.pause(SLICE_MS - 1), undefined, "a fresh turn has time");
  take(2);
  assert.equal(slices.pause(), undefined);
  const waiting = slices.pause(SLICE_MS - 1);
  assert.ok(waiting);
  await next();
  await waiting;
  assert.equal(slices.pause(SLICE_MS - 1), undefined);
});
