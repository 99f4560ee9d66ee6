import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { type TestContext, test } from "node:test";
import { connectPeer } from "pinhole/client";
import { type BrowserContext, chromium } from "playwright-core";
import { startConfig } from "../support/config-gateway.ts";
import { namesOf } from "../support/peer-process.ts";
import { ROOT } from "../support/source-files.ts";

/** Serves an empty page at / and the modules of `src` as a browser can load them. Answers its address. */
async function serveSources(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://server").pathname);
    if (path === "/") return void response.setHeader("content-type", "text/html").end("<!doctype html>");
    if (!path.startsWith("/src/") || !path.endsWith(".ts")) return void response.writeHead(404).end();
    readFile(join(ROOT, path), "utf8").then(
      (text) => response.setHeader("content-type", "text/javascript").end(stripTypeScriptTypes(text)),
      () => response.writeHead(404).end(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Where Chromium is; undefined where it is not installed. */
function findChromium(): string | undefined {
  return [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ].find((path) => path !== undefined && existsSync(path));
}

/** Why tests in a browser are not run here; false where they are. */
const NO_CHROMIUM: string | false =
  findChromium() === undefined && "Chromium is not installed; on Debian: apt-get install chromium";

/** Starts a browser that knows nothing from earlier runs. */
async function startChromium(t: TestContext): Promise<BrowserContext> {
  const profile = mkdtempSync(join(tmpdir(), "pinhole-chromium-"));
  const executablePath = findChromium() ?? "";
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: FLAGS,
  });
  t.after(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });
  return context;
}

const hashOf = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const identity = (id: string) => ({ id, tokenHash: hashOf(id), scopes: ["tags"] });

/** What a page does with the client; it runs in the browser. */
async function inPage({ client, url }: { readonly client: string; readonly url: string }) {
  const { connectPeer: connect, CallError } = (await import(client)) as typeof import("pinhole/client");
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "ok",
      (error) => (error instanceof CallError ? error.code : String(error)),
    );
  const page = (globalThis as unknown as { document: { title: string } }).document;
  page.title = "a page";
  const peer = await connect(url, { token: "page" });
  const items: unknown[] = [];
  for await (const item of peer.subscribe("notes/follow")) items.push(item);
  const endless = peer.subscribe("services/changes");
  const first = await endless.next();
  await endless.return?.();
  const offered = await peer.offer([
    { name: "page/title", type: "query", description: "The title.", handler: () => page.title },
  ]);
  return {
    tags: await peer.call("tags/list"),
    items,
    first,
    offered,
    own: await peer.call(offered[0] ?? ""),
    missing: await codeOf(peer.call("no/such")),
    late: await codeOf(peer.call("services/list", {}, { signal: AbortSignal.abort() })),
    wrongToken: await codeOf(connect(url, { token: "nobody" })),
    noToken: await codeOf(connect(url)),
  };
}

test("a page in a browser calls, subscribes and offers", { skip: NO_CHROMIUM }, async (t) => {
  const { url } = await startConfig(t, {
    identities: [identity("page"), identity("ada")],
    access: { anonymous: false },
    peers: { offers: { external: ["page/*"] } },
  });
  const pageUrl = await serveSources(t);
  const browser = await startChromium(t);
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(pageUrl);
  const client = `${pageUrl}/src/client.ts`;
  const answer = await page.evaluate(inPage, { client, url });
  assert.deepEqual(answer, {
    tags: { tags: [] },
    items: [1],
    first: { done: false, value: { generation: 0, added: [], removed: [], changed: [] } },
    offered: ["offers/page/page/title"],
    own: "a page",
    missing: "NOT_FOUND",
    late: "ABORTED",
    wrongToken: "UNAVAILABLE",
    noToken: "UNAVAILABLE",
  });
  assert.deepEqual(problems, []);

  const ada = await connectPeer(url, { token: "ada" });
  t.after(() => ada.close());
  assert.equal(await ada.call("offers/page/page/title"), "a page", "another program asks the page");
  const told = ada.subscribe("services/changes");
  await told.next();
  await page.goto("about:blank");
  assert.deepEqual(
    ((await told.next()).value as { removed: string[] }).removed,
    ["offers/page/page/title"],
    "a page that goes takes it along",
  );
  assert.ok(!(await namesOf(ada)).some((name) => name.startsWith("offers/")));

  const refused = await page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const socket = new WebSocket(address, [
          "pinhole.call.v1",
          `pinhole.token.${btoa("page").replace(/=+$/, "")}`,
        ]);
        socket.addEventListener("open", () => resolve("opened"));
        socket.addEventListener("close", () => resolve("refused"));
      }),
    `${url.replace("http", "ws")}/call-protocol`,
  );
  assert.equal(refused, "refused", "a page of another origin does not get in, token or not");
});
