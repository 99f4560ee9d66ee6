import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { connectPeer } from "pinhole/client";
import { NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { startConfig } from "../support/config-gateway.ts";
import { namesOf } from "../support/peer-process.ts";
import { serveSources } from "../support/source-server.ts";

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
