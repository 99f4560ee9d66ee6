import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptedFetch } from "../../../test/support/scripted-upstream/index.ts";
import { Connections } from "./connections.ts";

const watch = { changed: () => {}, lost: () => {} };

function connections() {
  const { outbound, count } = scriptedFetch("legacy");
  return {
    made: new Connections({ url: new URL("https://example.com/mcp"), outbound, version: "0" }),
    count,
  };
}

test("there is one connection for each credential, and the one that watches is among them", async () => {
  const { made } = connections();
  const watching = made.watching("a", watch);
  assert.equal(made.of("a"), watching);
  assert.equal(made.of("b"), made.of("b"));
  assert.notEqual(made.of("b"), watching);
  assert.notEqual(made.of(undefined), watching);
  await made.close();
});

test("a credential that nobody uses any more is forgotten and its session given back", async (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  t.mock.method(performance, "now", () => Date.now());
  const { made, count } = connections();
  const watching = made.watching("a", watch);
  const idle = made.of("b");
  await idle.use(async () => {}, { isRepeatable: true });
  t.mock.timers.tick(600_001);
  const used = made.of("c");
  assert.notEqual(made.of("b"), idle);
  assert.equal(made.of("a"), watching);
  assert.equal(made.of("c"), used);
  while (count("DELETE") === 0) await new Promise((resolve) => setImmediate(resolve));
  await made.close();
});
