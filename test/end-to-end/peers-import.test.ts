import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { hashToken } from "../../src/identity/index.ts";
import { makeCertificate } from "../support/certificate.ts";
import { startConfig } from "../support/config-gateway.ts";
import { freePort } from "../support/free-port.ts";
import { startIdentityGateway } from "../support/identity-gateway.ts";
import { codeOf, openPeer } from "../support/peer-client.ts";
import { namesOf, startPeerProcess, untilListed } from "../support/peer-process.ts";

const identity = (id: string, scopes: readonly string[] = []) => ({
  id,
  tokenHash: hashToken(`${id}-token`),
  scopes,
});

/** A node with a vault, of which the hub may read and ada may write. */
function startWest(t: TestContext, more: object = {}) {
  const identities = [identity("hub", ["read"]), identity("ada", ["read", "write"])];
  return startIdentityGateway(t, { identities, ...more });
}

function peerOf(url: string, more: object = {}): object {
  const peer = `${url.replace("http", "ws")}/call-protocol`;
  return { peer, allowPrivate: true, token: { env: "PINHOLE_TEST_HUB" }, external: "*", ...more };
}

process.env.PINHOLE_TEST_HUB = "hub-token";
process.env.PINHOLE_TEST_ADA = "ada-token";
process.env.PINHOLE_TEST_WRONG = "no-such-token";

const vaultOf = (names: readonly string[]) => names.filter((name) => name.startsWith("west/"));

test("a hub brings in what its own token may see, and decides itself who may call it there", async (t) => {
  const west = await startWest(t);
  const { url } = await startConfig(t, {
    identities: [identity("bob", ["west"]), identity("eve")],
    sources: { west: peerOf(west.gateway.url, { external: ["vault/read", "vault/who*"], scopes: ["west"] }) },
  });
  const [bob, eve] = [await openPeer(t, url, "bob-token"), await openPeer(t, url, "eve-token")];
  assert.deepEqual(vaultOf(await namesOf(bob)), ["west/vault/read", "west/vault/whoami"]);
  assert.deepEqual(vaultOf(await namesOf(eve)), []);
  assert.equal(await bob.call("west/vault/read"), "read");
  assert.deepEqual(await bob.call("west/vault/whoami"), { id: "hub", scopes: ["read"] });
  assert.equal(await codeOf(eve.call("west/vault/read")), "FORBIDDEN");
  assert.equal(await codeOf(bob.call("west/vault/count")), "NOT_FOUND", "it is there for composition only");
  assert.equal(await codeOf(bob.call("west/vault/write")), "NOT_FOUND", "the hub may not");
});

test("a caller's own token is presented for its calls, where the config has one", async (t) => {
  const west = await startWest(t);
  const credentials = {
    perIdentity: { ada: { env: "PINHOLE_TEST_ADA" } },
    discovery: { env: "PINHOLE_TEST_HUB" },
  };
  const { url } = await startConfig(t, {
    identities: [identity("ada"), identity("bob")],
    sources: { west: peerOf(west.gateway.url, { token: undefined, credentials }) },
  });
  const [ada, bob] = [await openPeer(t, url, "ada-token"), await openPeer(t, url, "bob-token")];
  assert.deepEqual(await ada.call("west/vault/whoami"), { id: "ada", scopes: ["read", "write"] });
  assert.equal(await codeOf(bob.call("west/vault/whoami")), "UNAUTHORIZED_UPSTREAM");
});

test("what changes at the peer changes at the hub, and a token that is taken away ends its calls", async (t) => {
  const west = await startWest(t);
  const { url } = await startConfig(t, { sources: { west: peerOf(west.gateway.url) } });
  const peer = await openPeer(t, url);
  assert.ok((await namesOf(peer)).includes("west/vault/read"));
  const told = peer.subscribe("services/changes");
  await told.next();
  const identities = [identity("hub", ["read"]), identity("ada", ["read"])];
  await west.write({ identities, deny: ["vault/gate"] });
  await west.gateway.reload();
  const [item] = [(await told.next()).value as { removed: string[] }];
  assert.deepEqual(item.removed, ["west/vault/gate"]);
  await west.write({ identities: [identity("ada", ["read"])] });
  await west.gateway.reload();
  for (;;) {
    const { sources } = (await peer.call("sources/list")) as { sources: Record<string, string>[] };
    const { state, code } = sources.find(({ name }) => name === "west") ?? {};
    if (state === "unhealthy" && code === "UNAUTHORIZED") break;
  }
  assert.equal(await codeOf(peer.call("west/vault/read")), "UNAUTHORIZED_UPSTREAM");
});

test("a scope that the peer takes away from this node takes the operation away", async (t) => {
  const west = await startWest(t);
  const { url } = await startConfig(t, { sources: { west: peerOf(west.gateway.url) } });
  const peer = await openPeer(t, url);
  assert.equal(await peer.call("west/vault/read"), "read");
  const told = peer.subscribe("services/changes");
  await told.next();
  await west.write({ identities: [identity("hub")] });
  await west.gateway.reload();
  const { removed } = (await told.next()).value as { removed: readonly string[] };
  assert.deepEqual(removed, ["west/vault/read"]);
  assert.equal(await codeOf(peer.call("west/vault/read")), "NOT_FOUND", "the list has been read again");
});

test("a peer that cannot be had is told with a reason, without its token, and takes nothing else down", async (t) => {
  const west = await startWest(t);
  const port = new URL(west.gateway.url).port;
  const { url, logged } = await startConfig(t, {
    sources: {
      wrong: peerOf(west.gateway.url, { token: { env: "PINHOLE_TEST_WRONG" } }),
      nobody: peerOf("http://127.0.0.1:1"),
      address: peerOf("https://127.0.0.1:1", { allowPrivate: false }),
      name: peerOf("https://localhost:1", { allowPrivate: false }),
      other: peerOf(west.gateway.url, { peer: `ws://127.0.0.1:${port}/elsewhere` }),
    },
  });
  const peer = await openPeer(t, url);
  const { sources } = (await peer.call("sources/list")) as { sources: Record<string, string>[] };
  const shown = Object.fromEntries(sources.map(({ name, code, reason }) => [name, `${code}: ${reason}`]));
  assert.match(shown.wrong ?? "", /^UNAUTHORIZED: .* refused the token/);
  assert.match(shown.nobody ?? "", /^TRANSPORT: .*ECONNREFUSED/);
  assert.match(shown.address ?? "", /^TRANSPORT: .*127\.0\.0\.1 leads to a loopback address.*allowPrivate/);
  assert.match(shown.name ?? "", /^TRANSPORT: .*localhost leads to a loopback address/);
  assert.match(shown.other ?? "", /^TRANSPORT: .*404/);
  assert.doesNotMatch(JSON.stringify(sources) + logged(), /no-such-token|hub-token/);
  assert.equal(await codeOf(peer.call("notes/list")), "ok");
});

test("a source that leaves the config lets its running calls finish", async (t) => {
  const west = await startWest(t);
  const hub = await startConfig(t, { sources: { west: peerOf(west.gateway.url) } });
  const peer = await openPeer(t, hub.url);
  let release = () => {};
  const entered = new Promise<void>((resolve) => {
    Object.assign(globalThis, {
      pinholeTestWaiting: () => resolve(),
      pinholeTestGate: new Promise<void>((go) => {
        release = go;
      }),
    });
  });
  const running = peer.call("west/vault/gate");
  await entered;
  await hub.reload({});
  assert.equal(await codeOf(peer.call("west/vault/read")), "NOT_FOUND");
  release();
  assert.equal(await running, "through");
});

test("nodes speak TLS to each other by the certificates of the machine", async (t) => {
  const certificate = makeCertificate();
  const files = { "cert.pem": certificate.cert, "key.pem": certificate.key };
  const [port, hubPort] = [await freePort(), await freePort()];
  const tls = { cert: "cert.pem", key: { file: "key.pem" } };
  const west = await startPeerProcess(t, port, { server: { tls } }, { files });
  const env = { NODE_EXTRA_CA_CERTS: `${west.directory}/cert.pem` };
  const source = { peer: `wss://localhost:${port}/call-protocol`, allowPrivate: true, external: "*" };
  const hub = await startPeerProcess(t, hubPort, { sources: { west: source } }, { env });
  const peer = await hub.connect();
  await untilListed(peer, (names) => names.includes("west/demo/echo"));
  assert.deepEqual(await peer.call("west/demo/echo", { safe: true }), { safe: true });
});
