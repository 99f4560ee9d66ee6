import assert from "node:assert/strict";
import { test } from "node:test";
import { connectPeer } from "pinhole/client";
import { CallError } from "pinhole/core";
import { startCallNode } from "../support/call-node.ts";
import { CALLERS, PRIVILEGE_CASES } from "./cases.ts";
import { INPUT, sourcesOf } from "./door.ts";
import { runPrivilegeSuite } from "./suite.ts";

interface Named {
  readonly operations: readonly { readonly name: string }[];
  readonly nearest?: Readonly<Record<string, readonly string[]>>;
}

runPrivilegeSuite("over the call protocol", async ({ sources, presets, policy = {}, caller }) => {
  // The door stays open, so that the table is held against what stands behind it.
  const node = await startCallNode({
    sources,
    presets,
    policy,
    resolveIdentity: async () => caller,
    call: { anonymous: () => true },
  });
  const peer = await connectPeer(node.url, caller.authenticated ? { token: "any" } : {});
  const service = async (operation: string, input: object) =>
    ((await peer.call(operation, input)) as Named).operations.map(({ name }) => name);
  return {
    call: (operation) => codeOf(peer.call(operation, INPUT)),
    subscribe: (operation) => codeOf(peer.subscribe(operation, INPUT).next()),
    batch: (operations) => Promise.all(operations.map((operation) => codeOf(peer.call(operation, INPUT)))),
    list: () => service("services/list", {}),
    search: (query) => service("services/search", { query }),
    browse: (namespace) => service("services/search", { namespace }),
    nearest: async (name) => ((await peer.call("services/schema", { name })) as Named).nearest?.[name] ?? [],
    schema: (name) => service("services/schema", { name }),
    compose: async (operation) => String(await peer.call(operation)),
    close: async () => {
      peer.close();
      await node.close();
    },
  };
});

test("over the call protocol what must not be seen answers with equal bytes", async (t) => {
  const texts = new Set<string>();
  const hidden = PRIVILEGE_CASES.filter(({ direct }) => direct.scoped === "NOT_FOUND");
  const settings = hidden.map((given) => ({ sources: sourcesOf(given), policy: given.policy ?? {} }));
  assert.ok(settings.length > 4);
  const answerOf = async (work: Promise<unknown>) => {
    const error = await work.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof CallError, String(error));
    return JSON.stringify(error);
  };
  for (const setting of [{ sources: [], policy: {} }, ...settings]) {
    const node = await startCallNode({ ...setting, resolveIdentity: async () => CALLERS.scoped });
    t.after(() => node.close());
    const peer = await connectPeer(node.url, { token: "any" });
    t.after(() => peer.close());
    texts.add(await answerOf(peer.call("target/one")));
    texts.add(await answerOf(peer.subscribe("target/one").next()));
  }
  assert.equal(texts.size, 1, [...texts].join("\n"));
});

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (error: unknown) => (error instanceof CallError ? error.code : String(error)),
  );
}
