import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { deferred } from "../../../test/support/deferred.ts";
import { ImportError, RegistrationError, SILENT_LOG } from "../model/index.ts";
import { type Imported, keepImported, type OnSet } from "./kept-source.ts";

const REFRESH_MS = 300_000;

const imported = (...leftOut: readonly string[]): Imported => ({
  set: { source: { name: "up" }, registrations: [] },
  leftOut: leftOut.map((reason) => new ImportError("SCHEMA_PARSE", reason)),
});
const away = () => Promise.reject(new ImportError("TRANSPORT", "away"));

type Attempt = (signal: AbortSignal) => Promise<Imported | undefined>;

/** A source whose attempts go as told, on a clock that stands still. */
function keep(t: TestContext, attempt: Attempt, onSet: OnSet = () => {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.mock.method(performance, "now", () => Date.now());
  t.mock.method(Math, "random", () => 0.5);
  const warnings: unknown[][] = [];
  let attempts = 0;
  let how = attempt;
  const kept = keepImported({
    name: "up",
    refreshMs: REFRESH_MS,
    log: {
      ...SILENT_LOG,
      warn: (message, { reason, more } = {}) => warnings.push([message, reason ?? more]),
    },
    onSet,
    attempt(signal) {
      attempts++;
      return how(signal);
    },
  });
  t.after(() => kept.close());
  return {
    kept,
    warnings,
    attempts: () => attempts,
    from: (next: Attempt) => {
      how = next;
    },
    /** Lets time pass, and everything run that is due by then. */
    async pass(milliseconds: number) {
      t.mock.timers.tick(milliseconds);
      await settle();
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a source that is kept imported", () => {
  test("a source is connecting, then healthy, and is read again at intervals", async (t) => {
    const { kept, attempts, pass } = keep(t, async () => imported());
    assert.deepEqual([kept.health(), kept.lastImport()], [{ state: "connecting" }, undefined]);
    await kept.firstAttempt;
    assert.deepEqual(kept.health(), { state: "healthy", operations: 0, leftOut: [], warnings: [] });
    assert.equal(kept.lastImport(), 0);
    await pass(REFRESH_MS - 1);
    assert.equal(attempts(), 1);
    await pass(1);
    assert.deepEqual([attempts(), kept.lastImport()], [2, REFRESH_MS]);
  });

  test("a source that fails is tried again at growing intervals of at most a minute, and the log says so once", async (t) => {
    const { kept, attempts, warnings, pass, from } = keep(t, away);
    await kept.firstAttempt;
    for (const [attempt, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      await pass(seconds * 1_000 - 1);
      assert.equal(attempts(), attempt + 1, `not before ${seconds} s`);
      await pass(1);
      assert.equal(attempts(), attempt + 2, `after ${seconds} s`);
    }
    assert.deepEqual(kept.health(), { state: "unhealthy", code: "TRANSPORT", reason: "away" });
    assert.equal(kept.lastImport(), undefined);
    assert.deepEqual(warnings, [["A source cannot be imported; it is tried again", "away"]]);

    from(async () => imported());
    await kept.refresh();
    from(away);
    await kept.refresh();
    assert.equal(warnings.length, 2, "it had been well meanwhile");
    const before = attempts();
    await pass(1_000);
    assert.equal(attempts(), before + 1, "and begins anew with a short pause");
  });

  test("spreads what it does in time, so that many do not come at once", async (t) => {
    const { kept, attempts, pass } = keep(t, async () => imported());
    t.mock.method(Math, "random", () => 0);
    await kept.firstAttempt;
    await pass(REFRESH_MS * 0.8 - 1);
    assert.equal(attempts(), 1);
    await pass(1);
    assert.equal(attempts(), 2);
  });

  test("a source is read by one attempt at a time, and once more for all requests meanwhile", async (t) => {
    const gate = deferred<Imported>();
    const { kept, attempts } = keep(t, () => gate.promise);
    const asked = [kept.refresh(), kept.refresh(), kept.refresh()];
    assert.equal(attempts(), 1);
    gate.resolve(imported());
    await Promise.all(asked);
    assert.equal(attempts(), 2);
  });

  test("a source with nothing new stays as healthy as it was, and its set is not replaced", async (t) => {
    let sets = 0;
    const { kept, from } = keep(
      t,
      async () => imported("one"),
      () => void sets++,
    );
    await kept.firstAttempt;
    const { health } = kept;
    const before = health();
    from(away);
    await kept.refresh();
    from(async () => undefined);
    await kept.refresh();
    assert.deepEqual([health(), sets], [before, 1]);
  });

  test("a source whose operations are refused is unhealthy, and offers them again", async (t) => {
    let refused = 0;
    const { kept } = keep(
      t,
      async () => imported(),
      () => {
        if (refused++ === 0) throw new RegistrationError("taken", "NAME_COLLISION");
      },
    );
    await kept.firstAttempt;
    assert.deepEqual(kept.health(), { state: "unhealthy", code: "NAME_COLLISION", reason: "taken" });
    await kept.refresh();
    assert.equal(kept.health().state, "healthy");
  });

  test("a source that fails for an unknown reason has the code DISCOVERY_FAILED", async (t) => {
    const { kept } = keep(t, () => Promise.reject(new TypeError("odd")));
    await kept.firstAttempt;
    assert.deepEqual(kept.health(), { state: "unhealthy", code: "DISCOVERY_FAILED", reason: "odd" });
  });

  test("operations left out are logged once for each list, and only the first of them", async (t) => {
    const { kept, warnings, from } = keep(t, async () => imported("a", "b"));
    await kept.firstAttempt;
    await kept.refresh();
    assert.deepEqual(warnings, [
      ["An operation was left out", "a"],
      ["An operation was left out", "b"],
    ]);
    from(async () => imported(...Array.from({ length: 25 }, (_, index) => `${index}`)));
    await kept.refresh();
    assert.equal(warnings.length, 2 + 20 + 1);
    assert.deepEqual(warnings.at(-1), ["More operations were left out", 5]);
    const health = kept.health();
    assert.equal(health.state === "healthy" && health.leftOut.length, 25);
  });

  test("a source that may have missed a change is read at once, and at growing intervals if that goes on", async (t) => {
    const { kept, attempts, pass } = keep(t, async () => imported());
    await kept.firstAttempt;
    kept.missed();
    await pass(0);
    assert.equal(attempts(), 2);
    for (const [attempt, seconds] of [1, 2, 4].entries()) {
      kept.missed();
      await pass(0);
      await pass(seconds * 1_000 - 1);
      assert.equal(attempts(), attempt + 2);
      await pass(1);
      assert.equal(attempts(), attempt + 3);
    }
    await pass(10_000);
    kept.missed();
    await pass(0);
    assert.equal(attempts(), 6, "after a quiet time it is at once again");
  });

  test("a source is read again within a minute, however often changes may have been missed", async (t) => {
    const { kept, attempts, pass } = keep(t, async () => imported());
    await kept.firstAttempt;
    for (let second = 0; second < 60; second++) {
      kept.missed();
      await pass(1_000);
    }
    assert.ok(attempts() >= 6, `${attempts()} times in a minute`);
  });

  test("an announced change of a source is not delayed by changes that may have been missed", async (t) => {
    const { kept, attempts, pass } = keep(t, async () => imported());
    await kept.firstAttempt;
    for (const tell of [kept.changed, kept.missed]) {
      tell();
      await pass(0);
    }
    assert.equal(attempts(), 3);
    kept.changed();
    kept.missed();
    await pass(0);
    await pass(249);
    assert.equal(attempts(), 3);
    await pass(1);
    assert.equal(attempts(), 4);
  });

  test("a source that announces a change is read at once, and with pauses if it keeps announcing", async (t) => {
    const { kept, attempts, pass } = keep(t, async () => {
      // One that tells of a change whenever it is looked at.
      queueMicrotask(() => kept.changed());
      return imported();
    });
    await kept.firstAttempt;
    await pass(0);
    assert.equal(attempts(), 2);
    for (const [attempt, milliseconds] of [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000].entries()) {
      await pass(milliseconds - 1);
      assert.equal(attempts(), attempt + 2);
      await pass(1);
      assert.equal(attempts(), attempt + 3);
    }
  });

  test("a burst of changes makes two reads of a source, and a change after a quiet time one at once", async (t) => {
    const { kept, attempts, pass } = keep(t, async () => imported());
    await kept.firstAttempt;
    for (let change = 0; change < 50; change++) kept.changed();
    await pass(0);
    assert.equal(attempts(), 2);
    await pass(250);
    assert.equal(attempts(), 3);
    await pass(10_000);
    assert.equal(attempts(), 3);
    kept.changed();
    await pass(0);
    assert.equal(attempts(), 4);
  });

  test("a closed source brings nothing more, not even what was on its way, and reports no failure", async (t) => {
    const gate = deferred<Imported>();
    let sets = 0;
    const aborted: boolean[] = [];
    const { kept, attempts, warnings, pass } = keep(
      t,
      async (signal) => {
        const found = await gate.promise;
        aborted.push(signal.aborted);
        return found;
      },
      () => void sets++,
    );
    await kept.close();
    gate.resolve(imported());
    await kept.firstAttempt;
    await kept.refresh();
    kept.missed();
    await pass(REFRESH_MS * 2);
    assert.deepEqual([sets, attempts(), aborted, warnings], [0, 1, [true], []]);
  });
});
