import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Identity } from "pinhole/core";
import { newToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { answerOf, messagesOf, postLegacy, postModern } from "../support/mcp-wire.ts";
import { answerRequests, IN_PROCESS, type ServeOptions, serveRuntime } from "../support/serve.ts";
import {
  begin,
  callOf,
  cancelOf,
  eventsOf,
  get,
  initialize,
  outputIn,
  VERSION,
  type Wire,
} from "../support/session-wire.ts";
import { createSessionWork } from "../support/session-work.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const LIST = { id: 1, method: "tools/list" };

const resolveIdentity = async (id: string): Promise<Identity> => ({ id, authenticated: true, scopes: [] });

async function started(t: TestContext, options: ServeOptions = {}) {
  const work = createSessionWork();
  const server = await serveRuntime({ sources: [work.plugin], resolveIdentity, ...options });
  t.after(() => server.close(0));
  return { work, url: server.mcpUrl };
}

describe("a session", () => {
  test("a session of another caller, of another address, ended, or made up is answered alike: not known, in the same bytes", async (t) => {
    const tokens = { ada: newToken(), bob: newToken() };
    const { mcpUrl, logged } = await startConfig(t, {
      facets: { notes: ["notes/*"] },
      identities: Object.entries(tokens).map(([id, { tokenHash }]) => ({ id, tokenHash })),
    });
    const [ada, bob] = [
      await begin(mcpUrl, { token: tokens.ada.token }),
      await begin(mcpUrl, { token: tokens.bob.token }),
    ];
    const facet = await begin(new URL(`${mcpUrl}/notes`), { token: tokens.bob.token });
    const ended = await begin(mcpUrl, { token: tokens.bob.token });
    assert.equal((await fetch(mcpUrl, { method: "DELETE", headers: ended.headers })).status, 204);
    const id = (wire: Wire) => wire.headers["mcp-session-id"] ?? assert.fail("there is no session");
    const made = [
      id(ada),
      id(facet),
      id(ended),
      `${id(bob).slice(0, -2)}aa`,
      id(bob).replace(VERSION, "2025-06-18"),
      "1",
      "x".repeat(8_000),
    ];
    const answers = new Set<string>();
    for (const sessionId of made) {
      const headers = { ...bob.headers, "mcp-session-id": sessionId };
      for (const response of [
        await postLegacy(mcpUrl, LIST, { version: VERSION, headers }),
        await postLegacy(mcpUrl, cancelOf(1), { version: VERSION, headers }),
        await get(mcpUrl, headers),
        await fetch(mcpUrl, { method: "DELETE", headers }),
      ]) {
        answers.add(`${response.status} ${await response.text()}`);
      }
    }
    assert.deepEqual(
      [...answers],
      [
        '404 {"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"This session is not known here. Initialize again."}}',
      ],
    );
    assert.equal((await bob.post(LIST)).status, 200);
    for (const each of [ada, bob, facet]) assert.ok(!logged().includes(id(each)), "an id is in the log");
  });

  test("a session that began without a token goes on when its client has signed in, and reaches nothing that others run in it", async (t) => {
    const { work, url } = await started(t);
    const anonymous = await begin(url);
    const call = anonymous.post(callOf(1, "work/wait", { name: "kept" }));
    await work.running("kept");
    for (const authorization of ["Bearer ada", "Bearer bob"]) {
      const headers = { ...anonymous.headers, authorization };
      assert.equal((await postLegacy(url, LIST, { version: VERSION, headers })).status, 200);
      assert.equal((await postLegacy(url, cancelOf(1), { version: VERSION, headers })).status, 202);
      assert.equal((await fetch(url, { method: "DELETE", headers })).status, 204);
    }
    work.release();
    assert.equal(outputIn(await answerOf(await call)), "kept");
  });

  test("a session is not begun for a handshake that is refused, nor by any other request", async (t) => {
    const { url } = await started(t);
    for (const message of [LIST, { ...initialize(), params: {} }, { method: "notifications/initialized" }]) {
      const response = await postLegacy(url, message, { version: VERSION });
      assert.equal(response.headers.get("mcp-session-id"), null);
    }
    const modern = await postModern(url, "tools/list", {}, { headers: { "mcp-session-id": "any" } });
    assert.equal(modern.status, 200, "2026-07-28 has no sessions: the header means nothing");
    assert.equal(modern.headers.get("mcp-session-id"), null);
    assert.equal((await get(url, {})).status, 405);
  });

  test("a session is ended with all that runs and listens in it", async (t) => {
    const { work, url } = await started(t);
    const wire = await begin(url);
    const call = wire.post(callOf(1, "work/wait", { name: "one" }));
    const stream = await get(url, wire.headers);
    await work.running("one");
    assert.equal((await fetch(url, { method: "DELETE", headers: wire.headers })).status, 204);
    await work.aborted("one");
    assert.deepEqual(await messagesOf(await call), []);
    await stream.text();
    assert.equal((await wire.post(LIST)).status, 404);
  });

  test("a session cannot be used to cancel a call of another session, of the same caller or another", async (t) => {
    const { work, url } = await started(t);
    const owner = await begin(url, { token: "ada" });
    const others = [await begin(url, { token: "ada" }), await begin(url, { token: "bob" }), await begin(url)];
    const call = owner.post(callOf(7, "work/wait", { name: "kept" }));
    await work.running("kept");
    for (const other of others) assert.equal((await other.post(cancelOf(7))).status, 202);
    for (const id of ["7", 8, null, {}, undefined])
      assert.equal((await owner.post(cancelOf(id))).status, 202, "of the same session, but not of this call");
    work.release();
    assert.equal(outputIn(await answerOf(await call)), "kept");
    assert.deepEqual(work.abortedNames(), []);
  });

  test("a session cannot be used to answer a question of another, of the same caller or another", async (t) => {
    const { url } = await started(t);
    const capabilities = { elicitation: {} };
    const owner = await begin(url, { token: "ada", capabilities });
    const events = eventsOf(await owner.post(callOf(1, "work/ask", { topic: "seat" })));
    const question = (await events.next()) ?? assert.fail("no question came");
    assert.equal(question.method, "elicitation/create");
    const answer = (value: string) => ({
      jsonrpc: "2.0",
      id: question.id,
      result: { action: "accept", content: { value } },
    });
    const [same, bob] = [
      await begin(url, { token: "ada", capabilities }),
      await begin(url, { token: "bob", capabilities }),
    ];
    for (const other of [same, bob]) assert.equal((await other.post(answer("stolen"))).status, 202);
    const stolen = { ...owner.headers, authorization: bob.headers.authorization ?? "" };
    const refused = await postLegacy(url, answer("stolen"), { version: VERSION, headers: stolen });
    assert.equal(refused.status, 404);
    await owner.post({ ...answer("made up"), id: 0 });
    await owner.post(answer("mine"));
    assert.equal(outputIn((await events.next()) ?? assert.fail("no answer came")), "mine");
    assert.equal((await owner.post(answer("late"))).status, 202);
  });

  test("a session has one stream that listens: a later one takes its place", async (t) => {
    const { url } = await started(t);
    const wire = await begin(url);
    const first = await get(url, wire.headers);
    const second = await get(url, wire.headers);
    assert.doesNotMatch(await first.text(), /data/);
    await second.body?.cancel();
    const wrong = await fetch(url, { headers: { accept: "application/json", ...wire.headers } });
    assert.equal(wrong.status, 406);
  });

  test("a session's requests in one batch of 2025-03-26 are cancelled one by one, and the stream ends with the last", async (t) => {
    const { work, url } = await started(t);
    const wire = await begin(url);
    const batch = wire.post([
      callOf("a", "work/wait", { name: "first" }),
      callOf("b", "work/wait", { name: "second" }),
    ]);
    await Promise.all(["first", "second"].map(work.running));
    await wire.post([cancelOf("a")]);
    await work.aborted("first");
    work.release();
    const answers = await messagesOf(await batch);
    assert.deepEqual(
      answers.map(({ id }) => id),
      ["b"],
    );
    assert.deepEqual(work.abortedNames(), ["first"]);
  });

  test("a session's call is cancelled after a reload, too", async (t) => {
    const { mcpUrl, reload, gateway } = await startConfig(t);
    const work = createSessionWork();
    gateway.registry.apply({ replace: [{ ...work.plugin, source: { name: "late" } }] });
    const wire = await begin(mcpUrl);
    const call = wire.post(callOf(1, "work/wait", { name: "one" }));
    await work.running("one");
    await reload({ log: { level: "warn" } });
    await wire.post(cancelOf(1));
    await work.aborted("one");
    assert.deepEqual(await messagesOf(await call), []);
  });

  test("a session's stream ends with the token that opened it", async (t) => {
    const { token, tokenHash } = newToken();
    const identities = [{ id: "ada", tokenHash }];
    const { mcpUrl, reload } = await startConfig(t, { identities });
    const wire = await begin(mcpUrl, { token });
    const stream = await get(mcpUrl, wire.headers);
    await reload({ identities: [] });
    assert.doesNotMatch(await stream.text(), /data/);
  });
});

describe("many sessions", () => {
  test("many sessions take no memory while nothing runs in them", async () => {
    const answer = answerRequests();
    const once = async () => {
      const response = await answer(
        new Request(`${IN_PROCESS}/mcp`, {
          method: "POST",
          headers: {
            host: "127.0.0.1",
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
          },
          body: JSON.stringify({ jsonrpc: "2.0", ...initialize() }),
        }),
      );
      await response.text();
      assert.ok(response.headers.get("mcp-session-id"));
    };
    const settled = async () => {
      await new Promise(setImmediate);
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    for (let n = 0; n < 200; n++) await once();
    const before = await settled();
    for (let n = 0; n < 500; n++) await once();
    const grown = (await settled()) - before;
    assert.ok(grown < 500 * 4_096, `${grown} bytes more after 500 sessions`);
  });

  test("many cancels in one request are refused, and cost little", async (t) => {
    const { url } = await started(t);
    const wire = await begin(url);
    const many = Array.from({ length: 10_000 }, (_, id) => cancelOf(id));
    const before = process.cpuUsage();
    assert.equal((await wire.post(many)).status, 400);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1_000_000, `${user + system} µs of processor time`);
  });

  test("many sessions of one caller have as many streams together as its limit of connections", async (t) => {
    const { mcpUrl } = await startConfig(t, { limits: { connections: 3 } });
    const wires: Wire[] = [];
    for (let n = 0; n < 6; n++) wires.push(await begin(mcpUrl));
    const statuses: number[] = [];
    for (const { headers } of wires.slice(0, 5)) statuses.push((await get(mcpUrl, headers)).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    await fetch(mcpUrl, { method: "DELETE", headers: wires[0]?.headers ?? {} });
    assert.equal((await get(mcpUrl, wires[5]?.headers ?? {})).status, 200);
  });

  test("many sessions of one caller have as many open questions together as its limit of connections", async (t) => {
    const limits = { connections: 2 };
    const { url } = await started(t, {
      resolveIdentity: async (id) => ({ id, authenticated: true, scopes: [], limits }),
    });
    const ask = async () => {
      const wire = await begin(url, { token: "ada", capabilities: { elicitation: {} } });
      return eventsOf(await wire.post(callOf(1, "work/ask", { topic: "seat" })));
    };
    const [first, second, third] = [await ask(), await ask(), await ask()];
    assert.equal((await first?.next())?.method, "elicitation/create");
    assert.equal((await second?.next())?.method, "elicitation/create");
    const refused = JSON.stringify(await third?.next());
    assert.match(refused, /2 questions wait for an answer already/);
    await Promise.all([first?.cancel(), second?.cancel()]);
  });
});
