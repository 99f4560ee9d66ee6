import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { followReadme, serveExample } from "../../test/support/example.ts";

test("two nodes do what their README says", async (t) => {
  process.env.WEST_TOKEN = "hub-example-token";
  t.after(() => {
    delete process.env.WEST_TOKEN;
  });
  const west = await serveExample(t, join(import.meta.dirname, "west"));
  const ports = { 7465: Number(new URL(west.url).port) };
  const hub = await serveExample(t, join(import.meta.dirname, "hub"), { ports });
  assert.equal(await followReadme(t, import.meta.dirname, hub.url), 5);
});
