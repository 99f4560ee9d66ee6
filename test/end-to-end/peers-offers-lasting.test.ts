import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connectPeer, type OfferedOperation, type Peer } from "pinhole/client";
import { hashToken } from "../../src/identity/index.ts";
import { createConnection, type Service } from "../../src/protocol/index.ts";
import { connectByteStream } from "../../src/protocol/transports/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { codeOf, openPeer } from "../support/peer-client.ts";
import { namesOf } from "../support/peer-process.ts";

const identity = (id: string) => ({
  id,
  tokenHash: hashToken(id),
});
const IDENTITIES = [identity("ada"), identity("bob")];
const TO_ALL = { offers: { external: ["*"] } };

const answering = (name: string, answer: string): OfferedOperation => ({
  name,
  type: "query",
  description: "Answers.",
  handler: () => answer,
});

/** The names of offers that a caller sees. */
async function offersFor(peer: Peer): Promise<readonly string[]> {
  return (await namesOf(peer)).filter((name) => name.startsWith("offers/"));
}

test("a reload that shows offers to all, or no more, is taken whoever offers the same name", async (t) => {
  const { url, reload } = await startConfig(t, { identities: IDENTITIES, peers: TO_ALL });
  const [older, newer, bob] = [
    await openPeer(t, url, "ada"),
    await openPeer(t, url, "ada"),
    await openPeer(t, url, "bob"),
  ];
  await older.offer([answering("own/name", "older"), answering("own/other", "older")]);
  await newer.offer([answering("own/name", "newer")]);
  for (let round = 0; round < 2; round++) {
    await reload({ identities: IDENTITIES, peers: {} });
    assert.deepEqual(await offersFor(bob), []);
    assert.equal(await older.call("offers/ada/own/name"), "older");
    assert.equal(await older.call("offers/ada/own/other"), "older");
    assert.equal(await newer.call("offers/ada/own/name"), "newer");
    await reload({ identities: IDENTITIES, peers: TO_ALL });
    assert.deepEqual(await offersFor(bob), ["offers/ada/own/name"]);
    assert.equal(await bob.call("offers/ada/own/name"), "newer", "the later one counts, also after a reload");
  }
});

test("when the later one of two goes, what the earlier one offers is shown again", async (t) => {
  const { url } = await startConfig(t, { identities: IDENTITIES, peers: TO_ALL });
  const [older, newer, bob] = [
    await openPeer(t, url, "ada"),
    await openPeer(t, url, "ada"),
    await openPeer(t, url, "bob"),
  ];
  await older.offer([answering("own/name", "older")]);
  await newer.offer([answering("own/name", "newer")]);
  const told = bob.subscribe("services/changes");
  await told.next();
  await newer.offer([]);
  assert.equal(await bob.call("offers/ada/own/name"), "older");
  await newer.offer([answering("own/more", "newer")]);
  assert.deepEqual(await offersFor(bob), ["offers/ada/own/more"]);
  newer.close();
  while ((await offersFor(bob))[0] !== "offers/ada/own/name") await told.next();
  assert.equal(await bob.call("offers/ada/own/name"), "older");
});

test("an offer under another token takes the place of the one before, for all", async (t) => {
  const { url, directory, gateway } = await startConfig(t, {
    identities: IDENTITIES,
    peers: TO_ALL,
    server: { callProtocol: { unix: "./node.sock" } },
  });
  const bob = await openPeer(t, url, "bob");
  const connection = await offering(t, join(directory, "node.sock"));
  await connection.call("services/offer", {}, { authToken: "ada" });
  assert.deepEqual(await offersFor(bob), ["offers/ada/own/name"]);
  await connection.call("services/offer", {}, { authToken: "bob" });
  assert.deepEqual(await offersFor(bob), ["offers/bob/own/name"]);
  assert.equal([...gateway.registry.snapshot().sources.keys()].filter((name) => /as:/.test(name)).length, 1);
});

test("what a request's own token began does not outlive the token: neither streams nor offers", async (t) => {
  const config = { peers: TO_ALL, server: { callProtocol: { unix: "./node.sock" } } };
  const { url, directory, reload } = await startConfig(t, { ...config, identities: IDENTITIES });
  const bob = await openPeer(t, url, "bob");
  const connection = await offering(t, join(directory, "node.sock"));
  await connection.call("services/offer", {}, { authToken: "ada" });
  const [adas, bobs] = ["ada", "bob"].map((authToken) =>
    connection.subscribe("services/changes", {}, { authToken }),
  );
  assert.ok(adas && bobs);
  await Promise.all([adas.next(), bobs.next()]);
  assert.deepEqual(await offersFor(bob), ["offers/ada/own/name"]);

  await reload({ ...config, identities: [identity("bob")] });
  const rest = async () => {
    for await (const item of adas) assert.ok(item);
  };
  assert.equal(await codeOf(rest()), "FORBIDDEN");
  assert.deepEqual(((await bobs.next()).value as { removed: unknown }).removed, ["offers/ada/own/name"]);
  assert.equal(await codeOf(bob.call("offers/ada/own/name")), "NOT_FOUND");
  assert.equal(await codeOf(connection.call("notes/list", {}, { authToken: "bob" })), "ok");
});

test("an offered operation that calls on hands on the way of its call, so that a circle ends", async (t) => {
  const { url } = await startConfig(t);
  const peer = await connectPeer(url);
  t.after(() => peer.close());
  let runs = 0;
  const round: OfferedOperation = {
    ...answering("own/round", ""),
    handler: (_input, { hops, signal }) => {
      runs++;
      return peer.call("offers/anonymous/own/round", {}, { hops, signal });
    },
  };
  await peer.offer([round]);
  await assert.rejects(peer.call("offers/anonymous/own/round"), /runs for this call already/);
  assert.equal(runs, 1);
});

/** A program on a byte stream that has one operation to offer. */
async function offering(t: TestContext, path: string) {
  const service: Service = {
    call: async ({ operationId }) =>
      operationId === "/services/list"
        ? { operations: [{ name: "own/name", type: "query", description: "Answers." }] }
        : "mine",
    subscribe: () => assert.fail("It has no streams."),
  };
  const connection = createConnection({ transport: await connectByteStream({ path }), service });
  t.after(() => connection.close());
  return connection;
}
