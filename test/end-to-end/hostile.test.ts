import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connectWs } from "../../src/protocol/transports/index.ts";
import { type CallNode, startCallNode } from "../support/call-node.ts";
import { freePort } from "../support/free-port.ts";
import { type PeerProcess, peerAt, startPeerProcess } from "../support/peer-process.ts";
import { scaled } from "../support/scale.ts";
import { ScriptedUpstream } from "../support/scripted-upstream/index.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;
const CLOCK = new URL("../support/turn-clock.ts", import.meta.url).href;
const MIB = 2 ** 20;
/** Four times what `npm run bench -- hostile` allows: here the cores, and their caches, are shared with all other tests. */
const LONGEST_TURN_MS = 200;
const OPERATIONS = scaled(10_000, 30_000);
/** How many times each is sent: a turn is as long as one of them makes it. */
const TIMES = scaled(2, 5);
/** Envelopes of a flood. More than 1,000 a second are too many. */
const FLOOD = scaled(5_000, 20_000);

const PLUGIN = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
const tree = { type: "object", properties: { a: { anyOf: [{ $ref: "#" }, { $ref: "#" }, { type: "null" }] } } };
const names = Array.from({ length: ${OPERATIONS} }, (_, n) => "many/update_invoice_" + n);
const many = names.map((name) => defineOperation({ name, type: "query", description: name, handler: () => name }));
const grow = defineOperation({ name: "many/tree", type: "query", description: "Takes a tree.", inputSchema: tree,
  handler: () => "grown" });
export default definePlugin({ name: "many", operations: [...many, grow] });`;

/** A document whose one body has very many parts, all of which are the same few. */
function wideDocument(change: number): string {
  const next = (level: number) => ({ $ref: `#/components/schemas/L${level + 1}` });
  const schemas = Object.fromEntries(
    Array.from({ length: 6 }, (_, level) => [
      `L${level}`,
      level === 5 ? { type: "object" } : { allOf: Array(30).fill(next(level)) },
    ]),
  );
  const content = { "multipart/form-data": { schema: { $ref: "#/components/schemas/L0" } } };
  const paths = {
    "/a": { post: { requestBody: { content }, responses: { 200: { description: "Done." } } } },
  };
  return JSON.stringify({ openapi: "3.0.3", info: { title: `T${change}` }, paths, components: { schemas } });
}

describe("a gateway that is sent the worst by callers and upstreams", () => {
  let gateway: PeerProcess;
  let clock: string;
  let west: CallNode;
  const upstream = new ScriptedUpstream({ era: "legacy" });
  let documents = 0;
  const api = createServer((_, response) => void response.end(wideDocument(documents++)));
  const ends: (() => unknown)[] = [];

  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), "pinhole-hostile-"));
    ends.push(() => rm(directory, { recursive: true, force: true }));
    clock = join(directory, "turns");
    west = await startCallNode();
    await upstream.start();
    api.listen(0, "127.0.0.1");
    await once(api, "listening");
    const document = `http://127.0.0.1:${(api.address() as AddressInfo).port}/openapi.json`;
    const sources = {
      many: { plugin: "./many.ts" },
      west: peerAt(Number(new URL(west.url).port)),
      server: { mcp: upstream.url.href, allowPrivate: true },
      api: { openapi: document, allowPrivate: true, refreshMs: 1_000 },
    };
    const t = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext;
    const env = { NODE_OPTIONS: `--import ${CLOCK}`, TURN_CLOCK: clock };
    gateway = await startPeerProcess(t, await freePort(), { sources }, { env, files: { "many.ts": PLUGIN } });
    for (const name of ["west", "server", "api"]) await until(name, "healthy");
    await post("/search", { query: "update an invoice" });
  });

  after(async () => {
    for (const end of ends.reverse()) await end();
    await west.close();
    await upstream.stop();
    api.close();
  });

  const post = (path: string, body: unknown) =>
    fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }).then(async (response) => ({ status: response.status, text: await response.text() }));

  interface SourceLine {
    readonly name: string;
    readonly state: string;
    readonly reason?: string;
  }

  async function sourceOf(name: string): Promise<SourceLine> {
    const { text } = await post("/call", { operation: "sources/list" });
    const { sources } = JSON.parse(text).output as { readonly sources: readonly SourceLine[] };
    const found = sources.find((each) => each.name === name);
    assert.ok(found, text);
    return found;
  }

  async function until(name: string, state: string): Promise<SourceLine> {
    for (let times = 0; ; times++) {
      const source = await sourceOf(name);
      if (source.state === state) return source;
      assert.ok(times < 1_000, `${name} is ${source.state}: ${source.reason}`);
      await pause(20);
    }
  }

  /** Does the worst while somebody asks after the health of the gateway, and tells how long its longest turn was. */
  async function longestTurnOf(attack: () => Promise<unknown>): Promise<number> {
    process.kill(gateway.pid, "SIGUSR2");
    const healthz = async () => assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
    await healthz();
    let isOn = true;
    const watch = (async () => {
      for (; isOn; await pause(10)) await healthz();
    })();
    await attack().finally(() => {
      isOn = false;
    });
    await watch;
    await healthz();
    return Number(readFileSync(clock, "utf8"));
  }

  async function nextDocuments(count: number): Promise<void> {
    for (const end = documents + count; documents < end; ) await pause(20);
    await until("api", "healthy");
  }

  /** One after the other. */
  async function repeat(times: number, work: (n: number) => Promise<unknown>): Promise<void> {
    for (let n = 0; n < times; n++) await work(n);
  }

  const literal = `\`[${Array(180).fill(1)}]\``;
  const bomb = Array.from({ length: 5 }).reduce(
    (inner) => `length(map(&${inner}, ${literal}))`,
    "@",
  ) as string;
  const tree = (depth: number): object => (depth === 0 ? { a: 1 } : { a: tree(depth - 1) });
  const wide = (bytes: number) => `{"operation":"demo/echo","input":{"a":[${"0,".repeat(bytes / 2)}0]}}`;

  for (const [title, bytes, attack] of [
    [
      "selections that multiply",
      0,
      () => repeat(TIMES, () => post("/call", { operation: "demo/echo", input: {}, select: bomb })),
    ],
    [
      "inputs for a schema that leads back to itself",
      0,
      () => repeat(TIMES, () => post("/call", { operation: "many/tree", input: tree(55) })),
    ],
    [
      "a batch of names that nothing has",
      0,
      () =>
        repeat(TIMES, (k) =>
          post("/batch", {
            calls: Array.from({ length: 50 }, (_, n) => ({ operation: `many/update_invoyce_x${k}_${n}` })),
          }),
        ),
    ],
    [
      "bodies as large as they may be",
      2 * MIB,
      () => repeat(TIMES, () => post("/call", wide(2 * MIB - 100))),
    ],
    [
      "bodies as large as they may be over MCP",
      2 * MIB,
      () => repeat(TIMES, () => post("/mcp", wide(2 * MIB - 100))),
    ],
    ["a document with more parts than there are words", 0, () => nextDocuments(2)],
  ] as const) {
    test(`the gateway serves others meanwhile: ${title}`, async () => {
      const most = LONGEST_TURN_MS * Math.max(1, bytes / MIB);
      const longest = await longestTurnOf(attack as () => Promise<unknown>);
      assert.ok(longest < most, `${longest} ms of processor time in one turn, where ${most} is the most`);
    });
  }

  test("cuts an upstream that tells of changes without end, says why, and connects to it again", async () => {
    const longest = await longestTurnOf(async () => {
      for (let round = 0; round < 200 && (await sourceOf("server")).state === "healthy"; round++)
        for (let n = 0; n < 500; n++) upstream.notify("notifications/tools/list_changed");
      const { reason } = await until("server", "unhealthy");
      assert.match(reason ?? "", /sent more than 1000 unasked messages a second; .* tried again in \d+ s/);
    });
    assert.ok(longest < LONGEST_TURN_MS, `${longest} ms of processor time in one turn`);
    await until("server", "healthy");
  });

  test("cuts a peer that sends requests without end, says why, and connects to it again", async () => {
    const longest = await longestTurnOf(async () => {
      const [peer] = west.projection.peers();
      assert.ok(peer);
      const calls = Array.from({ length: FLOOD }, () =>
        peer.connection.call("demo/echo", {}).catch(() => {}),
      );
      const { reason } = await until("west", "unhealthy");
      assert.match(reason ?? "", /sent more than 1000 unasked messages a second; .* tried again in \d+ s/);
      await Promise.all(calls);
    });
    assert.ok(longest < LONGEST_TURN_MS, `${longest} ms of processor time in one turn`);
    await until("west", "healthy");
  });

  test("cuts a caller that sends envelopes about nothing", async () => {
    const longest = await longestTurnOf(async () => {
      const transport = await connectWs(`${gateway.url.replace("http", "ws")}/call-protocol`);
      const closed = new Promise<string>((resolve) => {
        transport.open({ message: () => {}, drained: () => {}, closed: ({ message }) => resolve(message) });
      });
      for (let n = 0; n < FLOOD; n++) transport.send(`{"type":"call.credit","id":"x${n}","payload":{"n":1}}`);
      assert.match(await closed, /sent more than 1000 unasked messages a second/);
    });
    assert.ok(longest < LONGEST_TURN_MS, `${longest} ms of processor time in one turn`);
  });
});
