import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { inspectSource } from "./inspect-source.ts";

test("an address that takes requests and never answers is reported as possibly right", async (t) => {
  const server = createServer((socket) => socket.on("error", () => {}).resume());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const reference = `http://127.0.0.1:${address.port}/mcp`;
  const { signal } = new AbortController();
  const looking = inspectSource({ name: "slow", reference, directory: ".", patienceMs: 100, signal });
  await assert.rejects(looking, {
    code: "TRANSPORT",
    message: /127\.0\.0\.1:\d+\/mcp did not answer within 1 s\. The address may well be right/,
  });
});
