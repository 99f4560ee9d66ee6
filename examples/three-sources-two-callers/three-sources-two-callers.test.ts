import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { followReadme, serveExample } from "../../test/support/example.ts";
import { EVERYTHING, reasonToSkip, startRealServer } from "../../test/support/real-servers.ts";
import { startService } from "./service.ts";

test("three sources for two callers do what their README says", {
  skip: reasonToSkip(EVERYTHING),
}, async (t) => {
  const server = await startRealServer(EVERYTHING);
  t.after(() => server.stop());
  const service = await startService(0);
  t.after(() => {
    service.closeAllConnections();
    service.close();
  });
  const ports = { 3001: server.port, 4020: (service.address() as AddressInfo).port };
  const { url } = await serveExample(t, import.meta.dirname, { ports });
  assert.equal(await followReadme(t, import.meta.dirname, url), 8);
});
