import assert from "node:assert/strict";

import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connectPeer } from "pinhole/client";
import { hashToken } from "../../src/identity/token.ts";
import { type ConfigGateway, startConfig } from "../support/config-gateway.ts";
import { sendRaw, writeRequest } from "../support/raw-http.ts";

const TOKEN = "a-token-of-sufficient-length-for-ada";
const GUARDED = {
  identities: [{ id: "ada", tokenHash: hashToken(TOKEN) }],
  access: { anonymous: false },
};
/** What every gateway that hides nothing lets slip. */
const TRACE = /pinhole|retryable|jsonrpc|"error"|bearer|mcp/i;

function start(t: TestContext, decoy: unknown, rest: object = {}): Promise<ConfigGateway> {
  return startConfig(t, { ...rest, server: { port: 0, decoy } });
}

async function wholeAnswer(response: Response): Promise<string> {
  return JSON.stringify([...response.headers]) + (await response.text());
}

test("with a decoy, unknown addresses and callers without a token get the same answer without a trace", async (t) => {
  const { url } = await start(t, "not-found", GUARDED);
  const unknown = await fetch(`${url}/nothing/here`);
  assert.equal(unknown.status, 404);
  const expected = await unknown.text();
  const requests: [string, RequestInit?][] = [
    ["/"],
    ["/mcp", { method: "POST", body: "{}" }],
    ["/mcp/facet"],
    ["/call", { method: "POST", body: "{}", headers: { "content-type": "application/json" } }],
    ["/openapi.json"],
    ["/metrics"],
    ["/call-protocol"],
    ["/search", { headers: { authorization: "Bearer wrong" } }],
    ["/search", { headers: { origin: "https://elsewhere.example" } }],
    ["/.well-known/oauth-protected-resource/mcp"],
  ];
  for (const [path, init] of requests) {
    const response = await fetch(`${url}${path}`, init);
    assert.equal(response.status, 404, path);
    const whole = await wholeAnswer(response);
    assert.doesNotMatch(whole, TRACE, path);
    assert.ok(whole.endsWith(expected), path);
  }
});

test("with a decoy, odd paths and refused upgrades leave no trace either", async (t) => {
  const { url } = await start(t, "not-found", GUARDED);
  const host = ["host", "127.0.0.1"] as const;
  const upgrade = [
    ["connection", "upgrade"],
    ["upgrade", "websocket"],
    ["sec-websocket-version", "13"],
    ["sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="],
  ] as const;
  for (const request of [
    { method: "GET", target: "/%2e%2e/etc", headers: [host] },
    { method: "GET", target: "/call-protocol", headers: [host, ...upgrade] },
    { method: "GET", target: "/elsewhere", headers: [host, ...upgrade] },
  ]) {
    const { status, head, body } = await sendRaw(new URL(url), writeRequest(request), { timeoutMs: 5_000 });
    assert.equal(status, 404, request.target);
    assert.doesNotMatch(head + body, TRACE, request.target);
  }
});

test("with a decoy, callers with a token are served as without one", async (t) => {
  const { url } = await start(t, "not-found", GUARDED);
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const body = JSON.stringify({ operation: "notes/list" });
  assert.equal((await fetch(`${url}/call`, { method: "POST", headers, body })).status, 200);
  const peer = await connectPeer(url.replace("http", "ws"), { token: TOKEN });
  peer.close();
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test("where callers need no token, a decoy is at unknown addresses only", async (t) => {
  const { url } = await start(t, { redirect: "https://example.com/home" });
  assert.equal((await fetch(`${url}/search`)).status, 200);
  const response = await fetch(`${url}/blog`, { redirect: "manual" });
  assert.deepEqual([response.status, response.headers.get("location")], [302, "https://example.com/home"]);
  assert.doesNotMatch(await wholeAnswer(response), TRACE);
});

test("a decoy that is a site serves its files and nothing outside, hidden or of the gateway", async (t) => {
  const site = await makeSite(t);
  const { url } = await start(t, { site }, GUARDED);
  const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, { redirect: "manual", ...init });
  const home = await get("/");
  assert.equal(await home.text(), "<h1>Bakery</h1>");
  assert.equal(home.headers.get("content-type"), "text/html; charset=utf-8");
  const etag = home.headers.get("etag") ?? "";
  assert.equal((await get("/", { headers: { "if-none-match": etag } })).status, 304);
  const head = await get("/style.css", { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [200, "2", ""]);
  assert.equal((await get("/menu")).headers.get("location"), "/menu/");
  assert.equal(await (await get("/menu/")).text(), "bread");
  assert.equal(await (await get("/mcp")).text(), "Not Found");
  for (const path of [
    "/.env",
    "/pinhole.yaml",
    "/out.txt",
    "/out/secret.txt",
    "/loop",
    "/none.html",
    "/large.bin",
  ])
    assert.equal((await get(path)).status, 404, path);
  assert.equal((await get("/", { method: "POST", body: "x" })).status, 405);
});

test("a site that does not exist keeps the gateway from starting, with the folder", async (t) => {
  await assert.rejects(start(t, { site: "./none" }), /server\.decoy\.site: there is no folder .*none/);
});

test("a decoy of another kind than the three is refused with what to write", async (t) => {
  for (const decoy of ["nothing", { redirect: "/x" }, { redirect: "https://a.example", site: "." }, {}])
    await assert.rejects(start(t, decoy), /server\.decoy/, JSON.stringify(decoy));
});

async function makeSite(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-site-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const site = join(folder, "site");
  await mkdir(join(site, "menu"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "secret");
  await writeFile(join(site, "index.html"), "<h1>Bakery</h1>");
  await writeFile(join(site, "menu/index.html"), "bread");
  await writeFile(join(site, "style.css"), "a{");
  await writeFile(join(site, ".env"), "KEY=1");
  await writeFile(join(site, "pinhole.yaml"), "sources: {}");
  await writeFile(join(site, "large.bin"), Buffer.alloc(17 * 1024 * 1024));
  await symlink(join(folder, "secret.txt"), join(site, "out.txt"));
  await symlink(folder, join(site, "out"));
  await symlink(join(site, "loop"), join(site, "loop"));
  return site;
}
