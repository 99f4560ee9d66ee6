import assert from "node:assert/strict";
import { test } from "node:test";
import { createGuard } from "./guard.ts";

function statusOf(headers: Record<string, string>, options: Partial<Parameters<typeof createGuard>[0]> = {}) {
  const guard = createGuard({ host: "127.0.0.1", allowedHosts: [], allowedOrigins: [], ...options });
  // Request refuses to set a host header, so a stand-in with headers is enough.
  return guard({ headers: new Headers(headers) } as Request)?.status ?? "passes";
}

test("a server on loopback answers to names of this machine only", () => {
  for (const host of ["localhost:7464", "127.0.0.1:7464", "127.0.0.1", "[::1]:7464", "LOCALHOST"]) {
    assert.equal(statusOf({ host }), "passes", host);
  }
  for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", ""]) {
    assert.equal(statusOf({ host }), 403, host);
  }
  assert.equal(statusOf({}), 403);
  assert.equal(statusOf({ host: "tools.example" }, { allowedHosts: ["tools.example"] }), "passes");
});

test("pages of other origins are refused, those of this machine are not", () => {
  const host = "localhost:7464";
  assert.equal(statusOf({ host, origin: "http://localhost:5173" }), "passes");
  for (const origin of [
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "file://localhost",
    "%%%",
  ]) {
    assert.equal(statusOf({ host, origin }), 403, origin);
  }
  const allowedOrigins = ["https://app.example"];
  assert.equal(statusOf({ host, origin: "https://app.example" }, { allowedOrigins }), "passes");
});

test("a server beyond loopback has any name unless names are listed, and trusts no origin by itself", () => {
  const open = { host: "0.0.0.0" };
  assert.equal(statusOf({ host: "tools.example" }, open), "passes");
  assert.equal(statusOf({ host: "other.example" }, { ...open, allowedHosts: ["tools.example"] }), 403);
  assert.equal(statusOf({ host: "tools.example", origin: "http://localhost" }, open), 403);
});

test("the public address is allowed without a place in the lists, and allows no other", () => {
  const publicUrl = "https://tools.example:8443/gate";
  assert.equal(statusOf({ host: "tools.example:8443" }, { publicUrl }), "passes");
  assert.equal(
    statusOf({ host: "tools.example", origin: "https://tools.example:8443" }, { publicUrl }),
    "passes",
  );
  assert.equal(statusOf({ host: "tools.example", origin: "https://tools.example" }, { publicUrl }), 403);
  assert.equal(statusOf({ host: "evil.example" }, { publicUrl }), 403);
  const open = { host: "0.0.0.0", publicUrl };
  assert.equal(statusOf({ host: "10.0.0.1" }, open), "passes", "a health check goes by the address");
  assert.equal(statusOf({ host: "10.0.0.1" }, { ...open, allowedHosts: ["other.example"] }), 403);
});
