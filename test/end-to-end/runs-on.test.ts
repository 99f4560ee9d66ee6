import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AuditEntry, defineOperation, type OperationContext, type SourceSet } from "pinhole/core";
import { startCallNode } from "../support/call-node.ts";
import { modernBody, modernHeaders } from "../support/mcp-wire.ts";
import { openPeer } from "../support/peer-client.ts";
import { serveRuntime } from "../support/serve.ts";

/** A composer with one child that runs on and one that does not. */
function setting() {
  const children = new Map<string, OperationContext>();
  const outcomes = new Map<string, string>();
  const changed = new EventTarget();
  const tell = () => changed.dispatchEvent(new Event("change"));
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const child = (name: string) =>
    defineOperation({
      name: `inner/${name}`,
      type: "query",
      visibility: "internal",
      description: "For a test.",
      async handler(_input, context) {
        children.set(name, context);
        tell();
        await ended;
      },
    });
  const outer = defineOperation({
    name: "outer/run",
    type: "query",
    description: "For a test.",
    composes: ["inner/*"],
    handler: (_input, { env }) =>
      Promise.all([env.invoke("inner/on", {}, { onAbort: "continue" }), env.invoke("inner/off")]),
  });
  const sources: readonly SourceSet[] = [
    { source: { name: "test" }, registrations: [child("on"), child("off"), outer] },
  ];
  const audit = ({ operation, outcome }: AuditEntry) => {
    outcomes.set(operation, outcome);
    tell();
  };
  const until = async (isSo: () => boolean) => {
    while (!isSo())
      await new Promise((resolve) => changed.addEventListener("change", resolve, { once: true }));
  };
  return { sources, audit, children, outcomes, until, end };
}

type Setting = ReturnType<typeof setting>;

/** Each calls the composer until the signal aborts; how its caller hears of that is the wire's own affair. */
const WIRES: Readonly<
  Record<string, (t: TestContext, given: Setting, signal: AbortSignal) => Promise<unknown>>
> = {
  async "plain HTTP"(t, given, signal) {
    const server = await serveRuntime(given);
    t.after(() => server.close(0));
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ operation: "outer/run" });
    return fetch(`${server.url}/call`, { method: "POST", headers, body, signal });
  },
  async MCP(t, given, signal) {
    const server = await serveRuntime(given);
    t.after(() => server.close(0));
    const params = { name: "call", arguments: { operation: "outer/run" } };
    return fetch(server.mcpUrl, {
      method: "POST",
      headers: modernHeaders("tools/call", "call"),
      body: JSON.stringify(modernBody("tools/call", params)),
      signal,
    });
  },
  async "MCP of 2025"(t, given, signal) {
    const server = await serveRuntime(given);
    t.after(() => server.close(0));
    const params = { name: "call", arguments: { operation: "outer/run" } };
    return fetch(server.mcpUrl, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      signal,
    });
  },
  async "the call protocol"(t, given, signal) {
    const node = await startCallNode({ ...given, call: { anonymous: () => true } });
    t.after(() => node.close());
    const peer = await openPeer(t, node.url);
    return peer.call("outer/run", {}, { signal });
  },
};

for (const [wire, call] of Object.entries(WIRES)) {
  test(`over ${wire} a caller that leaves ends its call, but not a child that runs on`, {
    timeout: 20_000,
  }, async (t) => {
    const given = setting();
    const caller = new AbortController();
    const answer = call(t, given, caller.signal).catch(() => {});
    await given.until(() => given.children.size === 2);
    caller.abort();
    await answer;
    await given.until(() => given.outcomes.has("outer/run") && given.outcomes.has("inner/off"));
    assert.deepEqual(
      [given.children.get("off")?.signal.aborted, given.children.get("on")?.signal.aborted],
      [true, false],
    );
    given.end();
    await given.until(() => given.outcomes.has("inner/on"));
    assert.deepEqual(Object.fromEntries(given.outcomes), {
      "outer/run": "ABORTED",
      "inner/off": "ABORTED",
      "inner/on": "ok",
    });
  });
}
