import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { OfferedOperation, Peer } from "pinhole/client";
import { hashToken } from "../../src/identity/index.ts";
import { createConnection } from "../../src/protocol/index.ts";
import { connectByteStream } from "../../src/protocol/transports/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { freePort } from "../support/free-port.ts";
import { postJson } from "../support/http-wire.ts";
import { openPeer } from "../support/peer-client.ts";

const identity = (id: string, scopes: readonly string[] = []) => ({
  id,
  tokenHash: hashToken(`${id}-token`),
  scopes,
});
const IDENTITIES = [identity("ada"), identity("bob", ["tags"])];
const OFFERS = { peers: { offers: { external: ["*"] } } };

const offered = (name: string, handler: OfferedOperation["handler"]): OfferedOperation => ({
  name,
  type: "query",
  description: "Calls the gateway.",
  inputSchema: true,
  handler,
});

async function start(t: TestContext) {
  const { url } = await startConfig(t, { identities: IDENTITIES, ...OFFERS });
  const [ada, bob] = [await openPeer(t, url, "ada-token"), await openPeer(t, url, "bob-token")];
  return { url, ada, bob };
}

test("an offered operation calls the gateway with the hops that it was given", async (t) => {
  const { ada, bob, url } = await start(t);
  const seen: (readonly string[])[] = [];
  await ada.offer([
    offered("lab/handed", (_, { hops, signal }) => {
      seen.push(hops);
      return ada.call("notes/list", {}, { hops, signal, select: "type(notes)" });
    }),
    offered("lab/bound", (_, { call }) => call("notes/list", {}, { select: "type(notes)" })),
    offered("lab/twice", (_, { call }) => call("offers/ada/lab/bound")),
  ]);
  for (const name of ["handed", "bound", "twice"])
    assert.equal(await bob.call(`offers/ada/lab/${name}`), "array", name);
  assert.equal(seen[0]?.length, 1);
  const http = await postJson(`${url}/call`, { operation: "offers/ada/lab/handed" }, { token: "bob-token" });
  assert.equal(((await http.json()) as { output: unknown }).output, "array");
});

test("an offered operation calls under the authority of its own connection, not of its caller", async (t) => {
  const { ada, bob } = await start(t);
  await ada.offer([offered("lab/tags", (_, { call }) => call("tags/list"))]);
  assert.deepEqual(await bob.call("tags/list"), { tags: [] });
  await assert.rejects(bob.call("offers/ada/lab/tags"), { code: "UNAUTHORIZED_UPSTREAM" });
  await assert.rejects(ada.call("tags/list"), { code: "FORBIDDEN" });
});

test("what an offered operation calls ends with its caller", async (t) => {
  const { ada, bob } = await start(t);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await bob.offer([
    offered("lab/wait", (_, { signal }) => {
      begin();
      return new Promise(() => signal.addEventListener("abort", end));
    }),
  ]);
  await ada.offer([offered("lab/relay", (_, { call }) => call("offers/bob/lab/wait"))]);
  const controller = new AbortController();
  const calling = assert.rejects(bob.call("offers/ada/lab/relay", {}, { signal: controller.signal }));
  await begun;
  controller.abort();
  await ended;
  await calling;
});

test("offered operations that call each other in a circle are refused when one is reached twice", async (t) => {
  const { ada, bob } = await start(t);
  const runs: string[] = [];
  const calling = (peer: Peer, name: string) => [
    offered("lab/next", (_, { hops }) => {
      runs.push(name);
      return peer.call(name, {}, { hops });
    }),
  ];
  await ada.offer(calling(ada, "offers/bob/lab/next"));
  await bob.offer(calling(bob, "offers/ada/lab/next"));
  await assert.rejects(bob.call("offers/ada/lab/next"), (error: Error) => {
    assert.match(JSON.stringify(error), /"code":"UNAVAILABLE".*"retryable":false/);
    assert.match(error.message, /runs for this call already/);
    return true;
  });
  assert.deepEqual(runs, ["offers/bob/lab/next", "offers/ada/lab/next"]);
});

test("the same holds over a byte stream", async (t) => {
  const port = await freePort();
  await startConfig(t, { server: { callProtocol: { tcp: `127.0.0.1:${port}` } } });
  const spec = { type: "query", description: "Calls.", inputSchema: true };
  const connection = createConnection({
    transport: await connectByteStream({ host: "127.0.0.1", port }),
    service: {
      async call({ operationId, hops }) {
        if (operationId === "/services/list")
          return { operations: ["lab/list", "lab/self"].map((name) => ({ ...spec, name })) };
        const next = operationId === "/lab/list" ? "notes/list" : "offers/anonymous/lab/self";
        return connection.call(next, {}, { hops, select: operationId === "/lab/list" ? "type(notes)" : "@" });
      },
      subscribe: () => assert.fail("nothing streams"),
    },
  });
  t.after(() => connection.close());
  await connection.call("services/offer");
  assert.equal(await connection.call("offers/anonymous/lab/list"), "array");
  await assert.rejects(connection.call("offers/anonymous/lab/self"), {
    code: "UNAVAILABLE",
    retryable: false,
  });
});
