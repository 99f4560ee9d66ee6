import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CallError, Identity } from "../model/index.ts";
import { type Clock, createLimits } from "./limits.ts";

const never = new AbortController().signal;
const ada: Identity = { id: "ada", authenticated: true, scopes: [] };
const bob: Identity = { id: "bob", authenticated: true, scopes: [] };

/** A clock that stands still until it is moved; what waits is told how long it was asked to. */
function standingClock() {
  let now = 0;
  const waits: { milliseconds: number; go: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    wait: (milliseconds) => new Promise((go) => waits.push({ milliseconds, go })),
  };
  return { clock, waits, pass: (milliseconds: number) => (now += milliseconds) };
}

async function refusal(entered: unknown): Promise<CallError> {
  assert.ok(entered instanceof Promise, "it was let in");
  return entered.then(
    () => assert.fail("it was let in"),
    (error) => error,
  );
}

function release(entered: unknown): () => void {
  assert.equal(typeof entered, "function");
  return entered as () => void;
}

describe("limits", () => {
  test("callers without limits are always admitted", () => {
    const limits = createLimits({});
    for (let call = 0; call < 1_000; call++) release(limits.enter(ada, never));
  });

  test("a second's calls may come at once, the next one is refused with the time to wait", async () => {
    const { clock, pass } = standingClock();
    const limits = createLimits({ callsPerSecond: 4 }, clock);
    for (let call = 0; call < 4; call++) release(limits.enter(ada, never));
    const error = await refusal(limits.enter(ada, never));
    assert.deepEqual(
      [error.code, error.retryable, error.details],
      ["RATE_LIMITED", true, { retryAfterMs: 250 }],
    );
    assert.match(error.message, /4 a second.*Nothing was called\. Try again in 250 ms/);
    pass(249);
    await refusal(limits.enter(ada, never));
    pass(1);
    release(limits.enter(ada, never));
  });

  test("a rate below one a second still lets a call in, and says how long the next one waits", async () => {
    const { clock, pass } = standingClock();
    const limits = createLimits({ callsPerSecond: 0.5 }, clock);
    release(limits.enter(ada, never));
    assert.deepEqual((await refusal(limits.enter(ada, never))).details, { retryAfterMs: 2_000 });
    pass(2_000);
    release(limits.enter(ada, never));
  });

  test("as many as allowed run at once; when one ends, once, another may begin", async () => {
    const limits = createLimits({ concurrent: 2 });
    const first = release(limits.enter(ada, never));
    release(limits.enter(ada, never));
    assert.match((await refusal(limits.enter(ada, never))).message, /2 calls run already/);
    first();
    first();
    release(limits.enter(ada, never));
    await refusal(limits.enter(ada, never));
  });

  test("each principal has its own share, and its own limits where it has some", async () => {
    const limits = createLimits({ concurrent: 1 });
    release(limits.enter(ada, never));
    await refusal(limits.enter(ada, never));
    release(limits.enter(bob, never));
    const greedy: Identity = { ...ada, id: "greedy", limits: { concurrent: 3 } };
    for (let call = 0; call < 3; call++) release(limits.enter(greedy, never));
    await refusal(limits.enter(greedy, never));
  });

  test("a caller that retries without waiting is answered more and more slowly, until it waits", async () => {
    const { clock, waits, pass } = standingClock();
    const limits = createLimits({ callsPerSecond: 1 }, clock);
    release(limits.enter(ada, never));
    for (let call = 0; call < 10; call++) await refusal(limits.enter(ada, never));
    assert.equal(waits.length, 0);
    const held = refusal(limits.enter(ada, never));
    assert.deepEqual(
      waits.map(({ milliseconds }) => milliseconds),
      [1_000],
    );
    release(limits.enter(bob, never));
    waits[0]?.go();
    assert.equal((await held).code, "RATE_LIMITED");
    pass(1_000);
    release(limits.enter(ada, never));
    await refusal(limits.enter(ada, never));
    assert.equal(waits.length, 1);
  });

  test("the refusals that are held back are bounded; beyond that they are prompt again", async () => {
    const { clock, waits } = standingClock();
    const limits = createLimits({ concurrent: 0 }, clock);
    const refused = Array.from({ length: 1_011 }, () => refusal(limits.enter(ada, never)));
    assert.equal(waits.length, 1_000);
    assert.equal((await refused[1_010])?.code, "RATE_LIMITED");
    for (const { go } of waits) go();
    await Promise.all(refused);
  });

  test("a caller that goes away does not stay held back", async () => {
    const limits = createLimits({ concurrent: 0 });
    for (let call = 0; call < 10; call++) await refusal(limits.enter(ada, never));
    const gone = new AbortController();
    const held = refusal(limits.enter(ada, gone.signal));
    gone.abort();
    assert.equal((await held).code, "RATE_LIMITED");
    assert.equal((await refusal(limits.enter(ada, gone.signal))).code, "RATE_LIMITED");
  });

  test("under other defaults what has been counted so far still counts", async () => {
    const limits = createLimits({ concurrent: 1 });
    const end = release(limits.enter(ada, never));
    const wider = limits.under({ concurrent: 2 });
    release(wider.enter(ada, never));
    await refusal(wider.enter(ada, never));
    end();
    release(wider.enter(ada, never));
    await refusal(limits.under({ concurrent: 1 }).enter(ada, never));
  });

  test("a rate holds also after a time in which only the number at once was limited", async () => {
    const { clock } = standingClock();
    const limits = createLimits({ concurrent: 9 }, clock);
    for (let call = 0; call < 3; call++) release(limits.enter(ada, never))();
    const slower = limits.under({ callsPerSecond: 2 });
    for (let call = 0; call < 2; call++) release(slower.enter(ada, never))();
    assert.match((await refusal(slower.enter(ada, never))).message, /2 a second/);
  });

  test("principals that rest are forgotten when there are very many; those with running calls are not", async () => {
    const { clock, pass } = standingClock();
    const limits = createLimits({ concurrent: 1 }, clock);
    release(limits.enter(ada, never));
    for (let each = 0; each < 10_000; each++) {
      release(limits.enter({ ...bob, id: `bob${each}` }, never))();
    }
    pass(60_001);
    release(limits.enter({ ...bob, id: "one more" }, never));
    await refusal(limits.enter(ada, never));
  });
});
