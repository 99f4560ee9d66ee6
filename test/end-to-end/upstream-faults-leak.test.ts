import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { scaled } from "../support/scale.ts";
import { type Era, importUpstream, until } from "../support/scripted-upstream/index.ts";

/** At full size the second measurement is at call 10,000. */
const SCALE = scaled(1, 10);
const FIRST = 200 * SCALE;
const SECOND = 1_000 * SCALE;
const MOST_GROWTH = 5 * 1024 * 1024;
/** What leaks grows each time; what else goes on in a process of many tests does not. */
const MEASUREMENTS = 3;
const AT_ONCE = 10;
/** Longer than a socket that nobody uses stays open. */
const IDLE_MS = 20_000;

/** What happens in the life of a connection: mostly good things, in JSON and as streams, but all others too. */
const MIX = [
  "echo",
  "echo",
  "progresses",
  "echo",
  "fails",
  "echo",
  "ends_midway",
  "big",
  "no_json",
  "no_answer",
];

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Finalisers run between collections, and free more. */
async function heapAfterCollection(): Promise<number> {
  for (let pass = 0; pass < 4; pass++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

for (const era of ["modern", "legacy"] satisfies Era[]) {
  describe(`thousands of calls to a ${era} upstream`, () => {
    test("leave neither memory nor sockets behind", async (t) => {
      const { call, upstream, outbound } = await importUpstream(t, { era });
      let made = 0;
      async function callUntil(count: number) {
        while (made < count) {
          const names = Array.from({ length: AT_ONCE }, (_, index) => MIX[index % MIX.length] ?? "echo");
          await Promise.all(names.map((name) => call(name, { word: "hi", bytes: 1_000 })));
          made += AT_ONCE;
          upstream.seen.length = 0;
        }
        await until(() => upstream.listeners === 1);
        return heapAfterCollection();
      }

      const growths: number[] = [];
      let heap = await callUntil(FIRST);
      const { sockets } = outbound.stats();
      do {
        const then = await callUntil(made + SECOND - FIRST);
        growths.push(then - heap);
        heap = then;
      } while ((growths.at(-1) ?? 0) > MOST_GROWTH && growths.length < MEASUREMENTS);
      const shown = growths.map((growth) => (growth / 1024 / 1024).toFixed(2)).join(", then ");
      t.diagnostic(`${era}: heap ${shown} MB more, sockets ${sockets} and ${outbound.stats().sockets}`);
      assert.ok((growths.at(-1) ?? 0) <= MOST_GROWTH, `the heap grew by ${shown} MB`);
      // Some calls end together with their socket, so how many are in use at a moment is chance; what leaks stays.
      await until(() => outbound.stats().sockets <= sockets, IDLE_MS);
      assert.ok(upstream.sessionsOpened <= 1, "and all on one session");
    });
  });
}
