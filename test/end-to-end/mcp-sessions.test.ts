import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, type TestContext, test } from "node:test";
import { completeSpec, createLimits, type Registration } from "../../src/core/index.ts";
import { newToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { deferred } from "../support/deferred.ts";
import { OLDER_CLIENTS, type OlderClient, type Reactions } from "../support/older-clients.ts";
import { serveSdk1 } from "../support/sdk1-server.ts";
import { type ServeOptions, serveRuntime } from "../support/serve.ts";
import { createSessionWork } from "../support/session-work.ts";

const outputOf = (answer: Awaited<ReturnType<OlderClient["call"]>>) => answer.structuredContent?.output;

for (const [name, connect] of Object.entries(OLDER_CLIENTS)) {
  describe(`a client of ${name}`, () => {
    /** Operations that wait and ask, and clients in front of them. */
    async function started(t: TestContext, options: ServeOptions = {}) {
      const work = createSessionWork();
      const server = await serveRuntime({ sources: [work.plugin], ...options });
      t.after(() => server.close(0));
      const client = async (reactions?: Reactions) => {
        const connected = await connect(server.mcpUrl, reactions);
        t.after(() => connected.close());
        return connected;
      };
      return { work, server, client };
    }

    test(`a client of ${name} stops the call that it cancels and no other, its own or that of a client with the same ids`, async (t) => {
      const { work, client } = await started(t);
      const [one, other] = [await client(), await client()];
      const cancel = new AbortController();
      const cancelled = one.call("work/wait", { name: "cancelled" }, cancel.signal);
      const kept = [one.call("work/wait", { name: "own" }), other.call("work/wait", { name: "foreign" })];
      await Promise.all(["cancelled", "own", "foreign"].map(work.running));
      cancel.abort();
      await assert.rejects(cancelled);
      await work.aborted("cancelled");
      work.release();
      assert.deepEqual((await Promise.all(kept)).map(outputOf), ["own", "foreign"]);
      assert.deepEqual(work.abortedNames(), ["cancelled"]);
    });

    test(`a client of ${name} cancels where it has as many calls running as it may`, async (t) => {
      const { work, client } = await started(t, { limits: createLimits({ concurrent: 1 }) });
      const one = await client();
      const cancel = new AbortController();
      const cancelled = one.call("work/wait", { name: "only" }, cancel.signal);
      await work.running("only");
      cancel.abort();
      await assert.rejects(cancelled);
      await work.aborted("only");
    });

    test(`a client of ${name} answers the questions of its calls, several at a time, each its own`, async (t) => {
      const { client } = await started(t);
      const answer = ({ message }: { readonly message: string }) => ({
        action: "accept" as const,
        content: { value: message.replace(/^Which (.*)\?$/, "my $1") },
      });
      const [one, other] = [
        await client({ answer }),
        await client({ answer: () => ({ action: "decline" as const }) }),
      ];
      const topics = ["seat", "meal", "seat", "bag"];
      const answers = await Promise.all([
        ...topics.map((topic) => one.call("work/ask", { topic })),
        other.call("work/ask", { topic: "seat" }),
        one.call("work/ask-twice"),
      ]);
      assert.deepEqual(answers.map(outputOf), [
        "my seat",
        "my meal",
        "my seat",
        "my bag",
        "decline",
        ["my first", "my second"],
      ]);
    });

    test(`a client of ${name} that cancels while it is asked ends the call`, async (t) => {
      const { client } = await started(t);
      const [asked, cancel] = [deferred<void>(), new AbortController()];
      const one = await client({
        answer: () => {
          asked.resolve();
          return new Promise(() => {});
        },
      });
      const call = one.call("work/ask", { topic: "seat" }, cancel.signal);
      await asked.promise;
      cancel.abort();
      await assert.rejects(call);
      assert.equal(outputOf(await one.call("work/plain")), "plain", "the session goes on");
    });

    test(`a client of ${name} that cannot be asked gets a clear error`, async (t) => {
      const { client } = await started(t);
      const { structuredContent } = await (await client()).call("work/ask", { topic: "seat" });
      const error = JSON.stringify(structuredContent?.error);
      assert.match(error, /INVALID_OPERATION_TYPE.*a client that supports elicitation/);
    });

    test(`a client of ${name} keeps its session over a restart with the same key, and is told to begin again with another`, async (t) => {
      const work = createSessionWork();
      const options = { sources: [work.plugin], stateKey: randomBytes(32) };
      const first = await serveRuntime(options);
      const port = Number(new URL(first.url).port);
      const client = await connect(first.mcpUrl);
      t.after(() => client.close());
      await first.close(0);
      const second = await serveRuntime({ ...options, port });
      assert.equal(outputOf(await client.call("work/plain")), "plain");
      await second.close(0);
      const third = await serveRuntime({ ...options, port, stateKey: randomBytes(32) });
      t.after(() => third.close(0));
      await assert.rejects(client.call("work/plain"), /404|session is not known here. Initialize again/i);
      const again = await connect(third.mcpUrl);
      t.after(() => again.close());
      assert.equal(outputOf(await again.call("work/plain")), "plain");
    });

    test(`a client of ${name} has no session, and no promise of news, where sessions are off`, async (t) => {
      const { client } = await started(t, { sessions: "off" });
      const one = await client();
      assert.equal(one.sessionId, undefined);
      assert.equal(one.promisesListChanged, false);
      assert.equal(outputOf(await one.call("work/plain")), "plain");
    });

    test(`a client of ${name} hears of changes in its own list of tools and of no others`, async (t) => {
      const [ada, bob] = [newToken(), newToken()];
      const { gateway, mcpUrl } = await startConfig(t, {
        facets: { all: ["*"] },
        mcp: { expose: ["core", "all"] },
        identities: [
          { id: "ada", tokenHash: ada.tokenHash, scopes: ["tags"] },
          { id: "bob", tokenHash: bob.tokenHash },
        ],
      });
      const bring = (...registrations: Registration[]) =>
        gateway.registry.apply({ replace: [{ source: { name: "late" }, registrations }] });
      const heard = { ada: 0, bob: 0 };
      const news = { ada: deferred<void>(), bob: deferred<void>() };
      for (const [who, { token }] of Object.entries({ ada, bob }) as ["ada" | "bob", { token: string }][]) {
        const onListChanged = () => {
          heard[who]++;
          news[who].resolve();
        };
        // A client opens its stream in the background.
        const listening = deferred<void>();
        const client = await connect(mcpUrl, {
          token,
          onListChanged,
          onListening: () => listening.resolve(),
        });
        t.after(() => client.close());
        assert.equal(client.promisesListChanged, true);
        await listening.promise;
      }
      bring(added("late/tagged", { scopes: ["tags"] }));
      await news.ada.promise;
      assert.deepEqual(heard, { ada: 1, bob: 0 });
      bring(added("late/tagged", { scopes: ["tags"] }), added("late/open"));
      await news.bob.promise;
      assert.equal(heard.bob, 1);
    });

    test(`a client of ${name} answers the questions of a server behind the gateway`, async (t) => {
      const upstream = await serveSdk1();
      t.after(() => upstream.close());
      const source = { mcp: upstream.url.href, allowPrivate: true, external: "*" };
      const { mcpUrl } = await startConfig(t, { sources: { old: source } });
      const client = await connect(mcpUrl, {
        answer: ({ message }) => ({ action: "accept", content: { name: `Ada, ${message}` } }),
      });
      t.after(() => client.close());
      const { content } = await client.call("old/ask_here", { topic: "bees" });
      assert.equal(content[0]?.text, 'bees: accept {"name":"Ada, Who asks about bees?"}');
    });
  });
}

function added(name: string, access: object = {}): Registration {
  return {
    spec: completeSpec({ name, type: "query", description: "Says hello.", visibility: "external", access }),
    handler: { kind: "once", run: () => null },
    provenance: "local",
  };
}
