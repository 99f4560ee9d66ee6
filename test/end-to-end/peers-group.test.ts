import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CallError } from "pinhole/core";
import { hashToken } from "../../src/identity/index.ts";
import { type ConfigGateway, startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { postModern } from "../support/mcp-wire.ts";
import { codeOf, openPeer } from "../support/peer-client.ts";
import { namesOf, untilListed } from "../support/peer-process.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;

/** What a node of these tests does and has seen, by its name; its plugin finds it on the global object. */
interface NodeState {
  readonly calls: string[];
  /** Thrown by its operations, after they have noted the call. */
  fails?: Error | undefined;
}

const nodes = new Map<string, NodeState>();
Object.assign(globalThis, { pinholeTestGroup: nodes });

const labOf = (
  node: string,
  more = "",
) => `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  const state = () => globalThis.pinholeTestGroup.get(${JSON.stringify(node)});
  const note = (name) => { const { calls, fails } = state(); calls.push(name); if (fails) throw fails; return ${JSON.stringify(node)}; };
  const operation = (name, type, handler) => defineOperation({ name: "lab/" + name, type, description: name, handler });
  export default definePlugin({ name: "lab", operations: [
    operation("look", "query", () => note("look")),
    operation("change", "mutation", () => note("change")),
    operation("follow", "subscription", async function* () { yield note("follow"); yield note("again"); }),
    operation("who", "query", (_, { principal }) => [${JSON.stringify(node)}, principal.id]),
    ${more}
  ] });`;

const identity = (id: string, scopes: readonly string[] = []) => ({
  id,
  tokenHash: hashToken(`${id}-token`),
  scopes,
});

interface Node extends ConfigGateway {
  readonly state: NodeState;
  /** As a source of another gateway. */
  readonly source: object;
}

async function startNode(t: TestContext, name: string, more = "", config: object = {}): Promise<Node> {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-group-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const plugin = join(directory, "lab.ts");
  await writeFile(plugin, labOf(name, more));
  const state = { calls: [] };
  nodes.set(name, state);
  const started = await startConfig(t, { ...config, sources: { lab: { plugin, public: true } } });
  const peer = `${started.url.replace("http", "ws")}/call-protocol`;
  return { ...started, state, source: { peer, allowPrivate: true } };
}

/** Two nodes, and a hub that has both as `west` and `east` and as the group `all`. */
async function startHub(t: TestContext, more: { west?: string; east?: string; config?: object } = {}) {
  const [west, east] = [await startNode(t, "west", more.west), await startNode(t, "east", more.east)];
  const sources = { all: { any: ["west", "east"], external: "*" }, west: west.source, east: east.source };
  const hub = await startConfig(t, { sources, ...more.config });
  const peer = await openPeer(t, hub.url);
  await untilListed(peer, (names) => names.includes("all/lab/look"));
  await bothListed(hub);
  return { west, east, hub, peer, sources };
}

/** On a busy machine a start does not wait for what is slow. */
async function bothListed({ gateway: { registry } }: ConfigGateway): Promise<void> {
  const isThere = () => {
    const { sources } = registry.snapshot();
    const [group] = sources.get("all")?.registrations ?? [];
    return group?.runsAs?.length === 2;
  };
  while (!isThere()) await new Promise((go) => setImmediate(go));
}

const unavailable = () => new CallError("UNAVAILABLE", "Not now.");

test("a group has the operations of its members once, on every wire, and calls the first that is connected", async (t) => {
  const { hub, peer, west, east } = await startHub(t);
  const names = (await namesOf(peer)).filter((name) => /^(all|west|east)\/lab/.test(name));
  assert.deepEqual(
    names,
    ["change", "follow", "look", "who"].map((name) => `all/lab/${name}`),
    "the members themselves are internal",
  );
  assert.equal(await peer.call("all/lab/look"), "west");
  const http = await postJson(`${hub.url}/call`, { operation: "all/lab/look" });
  assert.equal(((await http.json()) as { output: string }).output, "west");
  const mcp = await postModern(hub.mcpUrl, "tools/call", {
    name: "call",
    arguments: { operation: "all/lab/change" },
  });
  assert.match(await mcp.text(), /west/);
  await west.gateway.close();
  assert.equal(await peer.call("all/lab/look"), "east");
  assert.equal(await peer.call("all/lab/change"), "east");
  assert.deepEqual(west.state.calls, ["look", "look", "change"]);
  assert.deepEqual(east.state.calls, ["look", "change"]);
  const { sources } = (await peer.call("sources/list")) as { sources: Record<string, unknown>[] };
  const { kind, state, operations } = sources.find(({ name }) => name === "all") ?? {};
  assert.deepEqual({ kind, state, operations }, { kind: "any", state: "healthy", operations: 8 });
  await east.gateway.close();
  await assert.rejects(peer.call("all/lab/look"), { code: "UNAVAILABLE", retryable: true });
  assert.ok((await namesOf(peer)).includes("all/lab/look"), "it is still found");
});

test("a query goes on to the next member on UNAVAILABLE, and a mutation that may have run does not", async (t) => {
  const { peer, west, east } = await startHub(t);
  west.state.fails = unavailable();
  assert.equal(await peer.call("all/lab/look"), "east");
  await assert.rejects(peer.call("all/lab/change"), { code: "UNAVAILABLE" });
  assert.deepEqual([west.state.calls, east.state.calls], [["look", "change"], ["look"]]);
  east.state.fails = unavailable();
  await assert.rejects(peer.call("all/lab/look"), { code: "UNAVAILABLE", message: "Not now." });
  west.state.fails = new CallError("INTERNAL", "Broken.");
  await assert.rejects(peer.call("all/lab/look"), { code: "INTERNAL" });
  assert.equal(east.state.calls.length, 2, "another error is the answer");
});

test("a stream begins at the member that has a first item, and then stays there", async (t) => {
  const { peer, west } = await startHub(t);
  west.state.fails = unavailable();
  const items: unknown[] = [];
  for await (const item of peer.subscribe("all/lab/follow")) items.push(item);
  assert.deepEqual(items, ["east", "east"]);
  assert.deepEqual(west.state.calls, ["follow"]);
});

test("a stream that has begun ends with its member", async (t) => {
  const endless = `operation("endless", "subscription", async function* (_, { signal }) { yield note("endless");
    await new Promise((go) => signal.addEventListener("abort", go)); }),`;
  const { peer, west, east } = await startHub(t, { west: endless, east: endless });
  const stream = peer.subscribe("all/lab/endless");
  assert.equal((await stream.next()).value, "west");
  const ended = assert.rejects(stream.next(), { code: "UNAVAILABLE" });
  await west.gateway.close();
  await ended;
  assert.ok(!east.state.calls.includes("endless"));
});

test("a member whose definition differs from the first one's is not called for it, and operators learn why", async (t) => {
  const odd = (description: string) =>
    `defineOperation({ name: "lab/odd", type: "query", description: ${JSON.stringify(description)}, handler: () => note("odd") }),`;
  const only = (name: string) => `operation("${name}", "query", () => note("${name}")),`;
  const { peer, west, east } = await startHub(t, {
    west: odd("Odd.") + only("west-only"),
    east: odd("Even.") + only("east-only"),
  });
  assert.equal(await peer.call("all/lab/odd"), "west");
  assert.equal(await peer.call("all/lab/west-only"), "west");
  assert.equal(await peer.call("all/lab/east-only"), "east");
  const { sources } = (await peer.call("sources/list")) as {
    sources: { name: string; leftOut?: string[] }[];
  };
  assert.deepEqual(sources.find(({ name }) => name === "all")?.leftOut, [
    "east defines lab/odd otherwise than west, so that calls of it do not go to east",
  ]);
  await west.gateway.close();
  for (const name of ["odd", "west-only"])
    assert.equal(await codeOf(peer.call(`all/lab/${name}`)), "UNAVAILABLE");
  assert.ok(!east.state.calls.includes("odd"));
});

test("an operation that leaves one member stays while another has it, with no moment in between", async (t) => {
  const { peer, west } = await startHub(t);
  const lost = new Set<string>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) lost.add(await codeOf(peer.call("all/lab/look")));
  })();
  await west.reload({ sources: {} });
  for (let round = 0; round < 20; round++) {
    assert.equal(await peer.call("all/lab/look"), "east");
    assert.equal(await peer.call("all/lab/change"), "east", "where it is not known it cannot have run");
  }
  isOver = true;
  await asking;
  assert.deepEqual([...lost], ["ok"]);
});

test("calls carry the caller's own credential at the member, and go on where it has none", async (t) => {
  const identities = [identity("ada-there"), identity("hub-there")];
  const [west, east] = [
    await startNode(t, "west", "", { identities }),
    await startNode(t, "east", "", { identities }),
  ];
  Object.assign(process.env, {
    PINHOLE_TEST_ADA_THERE: "ada-there-token",
    PINHOLE_TEST_HUB_THERE: "hub-there-token",
  });
  const discovery = { env: "PINHOLE_TEST_HUB_THERE" };
  const perIdentity = { ada: { env: "PINHOLE_TEST_ADA_THERE" } };
  const hub = await startConfig(t, {
    identities: [identity("ada"), identity("bob")],
    sources: {
      all: { any: ["west", "east"], external: "*" },
      west: { ...west.source, credentials: { perIdentity, discovery } },
      east: { ...east.source, token: discovery },
    },
  });
  const [ada, bob] = [await openPeer(t, hub.url, "ada-token"), await openPeer(t, hub.url, "bob-token")];
  await untilListed(ada, (names) => names.includes("all/lab/who"));
  await bothListed(hub);
  assert.deepEqual(await ada.call("all/lab/who"), ["west", "ada-there"]);
  assert.deepEqual(await bob.call("all/lab/who"), ["east", "hub-there"]);
});

test("an operation of a member that is denied is denied in the group", async (t) => {
  const { peer, hub, sources } = await startHub(t);
  await hub.reload({ sources, deny: ["east/lab/change"] });
  assert.equal(await codeOf(peer.call("all/lab/change")), "NOT_FOUND");
  assert.ok(!(await namesOf(peer)).includes("all/lab/change"));
  assert.equal(await peer.call("all/lab/look"), "west");
});

test("a group names peers of the same config, and nothing else", async (t) => {
  const peer = { peer: "ws://127.0.0.1:1/call-protocol", allowPrivate: true };
  const refused = async (any: unknown, said: RegExp) =>
    assert.rejects(
      startConfig(t, { sources: { all: { any }, other: { any: ["west"] }, west: peer, east: peer } }),
      (error: Error) => {
        assert.match(error.message, /pinhole\.yaml:\d+ /);
        assert.match(error.message, said);
        return true;
      },
    );
  await refused(["west", "eats"], /there is no source "eats". Did you mean east\?/);
  await refused(["west", "other"], /"other" is a group itself/);
  await refused(["all"], /"all" is a group itself/);
  await refused(["notes"], /"notes" is a source of the kind plugin, and members of a group are peers/);
  await refused(["west", "west"], /"west" is named twice/);
  await refused([], /any/);
  await refused("west", /any: \[west, east\]/);
});

test("operators see which operations each peer brings in", async (t) => {
  const { peer } = await startHub(t);
  await peer.offer([{ name: "own/one", type: "query", description: "One.", handler: () => 1 }]);
  const { incoming, outgoing } = (await peer.call("services/list-peers")) as {
    incoming: Record<string, unknown>[];
    outgoing: { source: string; operations: string[] }[];
  };
  assert.deepEqual(
    outgoing.map(({ source, operations }) => [source, operations.length, operations[0]]),
    [
      ["west", 8, "west/lab/change"],
      ["east", 8, "east/lab/change"],
    ],
  );
  assert.deepEqual(incoming[0]?.operations, ["offers/anonymous/own/one"]);
});
