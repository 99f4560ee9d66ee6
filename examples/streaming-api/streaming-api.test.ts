import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { followReadme, serveExample } from "../../test/support/example.ts";
import { eventsOf, postJson } from "../../test/support/http-wire.ts";
import { startService } from "./service.ts";

test("an API with streaming does what its README says", async (t) => {
  const service = await startService(0, 5);
  t.after(() => {
    service.closeAllConnections();
    service.close();
  });
  const { port } = service.address() as AddressInfo;
  const { url } = await serveExample(t, import.meta.dirname, { ports: { 4010: port } });
  assert.equal(await followReadme(t, import.meta.dirname, url), 4);

  const input = { symbol: "ACME", count: 2 };
  const response = await postJson(`${url}/subscribe`, { operation: "prices/watch", input });
  const events: unknown[] = [];
  for await (const { event, data } of eventsOf(response))
    events.push(event === "end" ? data : { event, data });
  assert.deepEqual(events, [
    { event: "message", data: { symbol: "ACME", price: 101 } },
    { event: "message", data: { symbol: "ACME", price: 99 } },
    "[DONE]",
  ]);
});
