import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startConfig } from "../support/config-gateway.ts";
import { eventsOf, postJson } from "../support/http-wire.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;

/** A plugin with a stream that yields once and then waits until it is let go of. */
const TICKING = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  export default definePlugin({ name: "tick", operations: [defineOperation({ name: "tick/once", type: "subscription",
    description: "Yields once.", async *handler(_, { signal }) {
      yield "first"; await new Promise((go) => signal.addEventListener("abort", go)); } })] });`;

test("a gateway that stops tells subscriptions over HTTP so, and does not wait for them", async (t) => {
  const { directory, gateway, reload, url } = await startConfig(t);
  await writeFile(join(directory, "tick.ts"), TICKING);
  await reload({ sources: { tick: { plugin: "./tick.ts" } } });
  const streams = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const events = eventsOf(await postJson(`${url}/subscribe`, { operation: "tick/once" }));
      assert.deepEqual((await events.next()).value, { event: "message", data: "first" });
      return events;
    }),
  );
  await gateway.close();
  for (const events of streams) {
    const { value } = await events.next();
    assert.equal(value?.event, "error");
    assert.match(JSON.stringify(value?.data), /"UNAVAILABLE".*stopping/);
    assert.equal((await events.next()).done, true);
  }
});
