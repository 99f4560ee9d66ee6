import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../support/free-port.ts";
import { codeOf } from "../support/peer-client.ts";
import { type PeerProcess, peerAt, startPeerProcess, untilListed } from "../support/peer-process.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;

/** Answers after a moment, so that some calls are always under way; what was changed is in a file, which a kill leaves. */
const TALLY = `import { appendFileSync } from "node:fs";
  import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  const inputSchema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
  const soon = () => new Promise((go) => setTimeout(go, 5));
  export default definePlugin({ name: "tally", operations: [
    defineOperation({ name: "tally/read", type: "query", description: "Reads.", inputSchema, handler: async ({ id }) => { await soon(); return id; } }),
    defineOperation({ name: "tally/write", type: "mutation", description: "Writes.", inputSchema,
      handler: async ({ id }) => { appendFileSync("tally.txt", id + "\\n"); await soon(); return id; } }),
  ] });`;

const written = async ({ directory }: PeerProcess): Promise<readonly string[]> =>
  (await readFile(join(directory, "tally.txt"), "utf8").catch(() => "")).split("\n").filter(Boolean);

test("a member that is killed under load fails no query, and no mutation runs twice", async (t) => {
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const start = (port: number) =>
    startPeerProcess(
      t,
      port,
      { sources: { tally: { plugin: "./tally.ts" } } },
      { files: { "tally.ts": TALLY } },
    );
  const hubConfig = {
    sources: {
      west: peerAt(ports[0], { external: [] }),
      east: peerAt(ports[1], { external: [] }),
      all: { any: ["west", "east"], external: "*" },
    },
  };
  const [west, east, hub] = await Promise.all([
    start(ports[0]),
    start(ports[1]),
    startPeerProcess(t, ports[2], hubConfig),
  ]);
  const peer = await hub.connect();
  await untilListed(peer, (names) => names.includes("all/tally/read"));
  // Both are there: the one that is called first, and the one that takes over.
  const areBothHealthy = async () => {
    const { outgoing } = (await peer.call("services/list-peers")) as { outgoing: { operations: string[] }[] };
    return outgoing.every(({ operations }) => operations.some((name) => name.endsWith("tally/read")));
  };
  while (!(await areBothHealthy())) await new Promise((go) => setTimeout(go, 50));
  let id = 0;
  let isOver = false;
  const reads: string[] = [];
  const writes = new Map<number, string>();
  const reading = async () => {
    while (!isOver) reads.push(await codeOf(peer.call("all/tally/read", { id: id++ })));
  };
  const writing = async () => {
    while (!isOver) {
      const own = id++;
      writes.set(own, await codeOf(peer.call("all/tally/write", { id: own })));
    }
  };
  const load = Promise.all([...Array(4).keys()].flatMap(() => [reading(), writing()]));
  const until = async (count: number) => {
    while (writes.size < count) await new Promise((go) => setTimeout(go, 5));
  };
  await until(50);
  await west.kill();
  await until(writes.size + 50);
  isOver = true;
  await load;
  assert.deepEqual([...new Set(reads)], ["ok"], `${reads.length} reads`);
  const ran = [...(await written(west)), ...(await written(east))].map(Number);
  assert.equal(new Set(ran).size, ran.length, "no mutation ran twice");
  for (const [own, code] of writes) {
    if (code === "ok") assert.ok(ran.includes(own), `${own} was answered and did not run`);
    else assert.equal(code, "UNAVAILABLE", "a mutation under way at the member that was killed");
  }
  const failed = [...writes.values()].filter((code) => code !== "ok").length;
  assert.ok(failed <= 4, `${failed} mutations failed, and only 4 were under way`);
  assert.ok((await written(east)).length >= 50);
});
