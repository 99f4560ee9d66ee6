import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { CallError, type Identity } from "pinhole/core";
import { startCallNode } from "../support/call-node.ts";
import { createCallOperations } from "../support/call-operations.ts";

const PEER = join(import.meta.dirname, "..", "peers", "peer.py");
const PEER_IDENTITY: Identity = { id: "peer", authenticated: true, scopes: [] };

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const skip = hasPython ? false : "there is no python3 on this machine";

for (const kind of ["unix", "tcp"] as const) {
  test(`a peer in Python, written from the text, calls and is called over ${kind}`, { skip }, async (t) => {
    const { plugin, until } = createCallOperations();
    const node = await startCallNode({
      sources: [plugin],
      policy: { anonymous: false },
      resolveIdentity: async (token) => (token === "peer-token" ? PEER_IDENTITY : undefined),
    });
    t.after(() => node.close());
    const address = kind === "unix" ? `unix:${node.unix.path}` : `tcp:127.0.0.1:${node.tcp.port}`;
    const peerComes = node.nextPeer();
    const program = spawn("python3", [PEER, address], { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => program.kill());
    const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? "null");
    const { connection } = await peerComes;

    assert.deepEqual(await next(), { step: "echo", output: { text: "schön 𝄞" } });
    assert.deepEqual(await next(), { step: "whoami", output: { id: "peer", forwardedFor: "a person" } });
    assert.deepEqual(await next(), { step: "nobody", code: "FORBIDDEN", details: null });
    assert.deepEqual(await next(), { step: "fail", code: "DRY", details: { since: "noon" } });
    assert.deepEqual(await next(), { step: "late", code: "TIMEOUT", details: null });
    assert.equal((await next()).code, "INVALID_OPERATION_TYPE");
    assert.deepEqual(await next(), { step: "stream", inOrder: true });
    assert.deepEqual(await next(), { step: "left", inOrder: true });
    await until(({ released }) => released === 2);
    assert.deepEqual(await next(), { step: "ready" });

    assert.equal(await connection.call("peer/shout", "hello"), "HELLO");
    const isUnknown = (error: unknown) => error instanceof CallError && error.code === "NOT_FOUND";
    await assert.rejects(connection.call("peer/none"), isUnknown);
    let taken = 0;
    for await (const item of connection.subscribe("peer/count", 300)) assert.equal(item, taken++);
    assert.equal(taken, 300);
    for await (const item of connection.subscribe("peer/count", null)) if (item === 5) break;
    const { step, sent } = await next();
    assert.equal(step, "aborted");
    assert.ok(sent >= 6 && sent <= 32, `${sent} items were sent with a credit of 32`);

    connection.close({ message: "That is all." });
    assert.deepEqual(await next(), { step: "closed", reason: "That is all." });
  });
}
