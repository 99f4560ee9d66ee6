import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, connectPeer, type OfferedOperation } from "pinhole/client";
import type { JsonSchema } from "pinhole/core";
import { hashToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { openPeer } from "../support/peer-client.ts";
import { namesOf } from "../support/peer-process.ts";

const identity = (id: string, scopes: readonly string[] = []) => ({ id, tokenHash: hashToken(id), scopes });
const IDENTITIES = [identity("ada", ["use-laptops"]), identity("bob"), identity("idp:eve")];

const add: OfferedOperation = {
  name: "sum/add",
  type: "query",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  handler: ({ a, b }) => a + b,
};
const count: OfferedOperation = {
  name: "sum/count",
  type: "subscription",
  description: "Counts.",
  async *handler() {
    for (let item = 0; ; item++) yield item;
  },
};
const fail: OfferedOperation = {
  name: "sum/fail",
  type: "mutation",
  description: "Fails.",
  errors: [{ code: "OVERFLOW", description: "Too much." }],
  handler: (_input, { forwardedFor }) => {
    throw new CallError("OVERFLOW", `Too much for ${forwardedFor}.`);
  },
};

function nested(depth: number): JsonSchema {
  return depth === 0 ? {} : { not: nested(depth - 1) };
}

async function failureOf(work: Promise<unknown>): Promise<CallError> {
  const error = await work.then(
    (value) => assert.fail(`it answered ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CallError, String(error));
  return error;
}

test("what a handler throws that is no answer goes to the log of its own side, and to no caller", async (t) => {
  const { url } = await startConfig(t);
  const logged: unknown[] = [];
  const error = (message: string, fields?: object) => void logged.push([message, fields]);
  const peer = await connectPeer(url, { log: { warn: () => assert.fail("Nothing is doubtful."), error } });
  t.after(() => peer.close());
  const handler = () => {
    throw new TypeError("secret of the program");
  };
  const [name = ""] = await peer.offer([{ ...add, handler }]);
  const failure = await failureOf(peer.call(name, { a: 1, b: 2 }));
  assert.equal(failure.code, "INTERNAL");
  assert.ok(!JSON.stringify(failure).includes("secret"));
  const [[message, fields]] = logged as [[string, { operation: string; error: string }]];
  assert.deepEqual([message, fields.operation], ["A call of a peer failed", "/sum/add"]);
  assert.match(fields.error, /^TypeError: secret of the program\n +at /);
  assert.equal(logged.length, 1);
});

test("what a connection offers is found and called by that connection alone, until it closes", async (t) => {
  const { url, gateway } = await startConfig(t, { identities: IDENTITIES });
  const [ada, other, bob] = [
    await openPeer(t, url, "ada"),
    await openPeer(t, url, "ada"),
    await openPeer(t, url, "bob"),
  ];
  const names = await ada.offer([add, count, fail]);
  assert.deepEqual(names, ["offers/ada/sum/add", "offers/ada/sum/count", "offers/ada/sum/fail"]);
  assert.ok((await namesOf(ada)).includes("offers/ada/sum/add"));
  assert.equal(await ada.call("offers/ada/sum/add", { a: 2, b: 3 }), 5);
  assert.equal((await failureOf(ada.call("offers/ada/sum/add", { a: "x" }))).code, "INVALID_INPUT");
  assert.deepEqual((await failureOf(ada.call("offers/ada/sum/fail"))).toJSON(), {
    code: "OVERFLOW",
    message: "Too much for ada.",
    retryable: false,
  });
  const items: unknown[] = [];
  for await (const item of ada.subscribe("offers/ada/sum/count")) if (items.push(item) === 100) break;
  assert.deepEqual(
    items,
    Array.from({ length: 100 }, (_, item) => item),
  );

  for (const peer of [other, bob]) {
    assert.ok(!(await namesOf(peer)).some((name) => name.startsWith("offers/")));
    assert.equal((await failureOf(peer.call("offers/ada/sum/add", { a: 1, b: 1 }))).code, "NOT_FOUND");
  }
  assert.deepEqual(await bob.offer([{ ...add, name: "own/add" }]), ["offers/bob/own/add"]);
  assert.equal(await bob.call("offers/bob/own/add", { a: 1, b: 1 }), 2);

  const [only] = await ada.offer([{ ...add, name: "sum/plus" }]);
  assert.equal((await failureOf(ada.call("offers/ada/sum/add", { a: 1, b: 1 }))).code, "NOT_FOUND");
  assert.equal(await ada.call(String(only), { a: 1, b: 1 }), 2);
  ada.close();
  bob.close();
  await Promise.all([ada.closed, bob.closed]);
  while ([...gateway.registry.snapshot().sources.keys()].some((name) => name.startsWith("offers:")))
    await new Promise((resolve) => setImmediate(resolve));
});

test("the config shows offers to all who may, under the name of whoever offers", async (t) => {
  const offers = { external: ["ada/*", "idp_eve-*"], scopes: ["use-laptops"] };
  const { url, reload } = await startConfig(t, { identities: IDENTITIES, peers: { offers } });
  const [ada, bob, eve, caller] = await Promise.all(
    ["ada", "bob", "idp:eve", "ada"].map((id) => openPeer(t, url, id)),
  );
  assert.ok(ada && bob && eve && caller);
  await ada.offer([add]);
  await bob.offer([{ ...add, name: "sum/minus" }]);
  const [eves] = await eve.offer([add]);
  const own = await eve.call(String(eves), { a: 1, b: 2 });
  assert.equal(own, 3, "who offers may call it without the scopes that others need");
  assert.ok((await namesOf(eve)).includes(String(eves)));
  assert.match(String(eves), /^offers\/idp_eve-[0-9a-f]{8}\/sum\/add$/);
  const shown = async () => (await namesOf(caller)).filter((name) => name.startsWith("offers/"));
  assert.deepEqual(await shown(), [eves, "offers/ada/sum/add"].sort());
  assert.equal(await caller.call("offers/ada/sum/add", { a: 1, b: 2 }), 3);
  const response = await postJson(
    `${url}/call`,
    { operation: "offers/ada/sum/add", input: { a: 4, b: 2 } },
    { token: "ada" },
  );
  assert.equal(((await response.json()) as { output: number }).output, 6);
  assert.equal((await failureOf(bob.call("offers/ada/sum/add", { a: 1, b: 2 }))).code, "FORBIDDEN");

  await reload({ identities: IDENTITIES, peers: { offers: { external: [] } } });
  assert.deepEqual(await shown(), [], "a reload decides anew, and takes nothing away from its owner");
  assert.equal(await ada.call("offers/ada/sum/add", { a: 1, b: 2 }), 3);
  await reload({ identities: IDENTITIES, peers: { offers } });
  assert.equal((await shown()).length, 2);
  await reload({ identities: IDENTITIES, peers: { offers }, lock: "enforce" });
  assert.deepEqual(await shown(), [], "nobody has accepted them");
  await reload({ identities: IDENTITIES, peers: { offers } });

  const newer = await openPeer(t, url, "ada");
  await newer.offer([{ ...add, handler: () => "newer" }]);
  assert.equal(await caller.call("offers/ada/sum/add", { a: 1, b: 2 }), "newer");
  ada.close();
  await ada.closed;
  assert.equal(await caller.call("offers/ada/sum/add", { a: 1, b: 2 }), "newer");
  const told = caller.subscribe("services/changes");
  await told.next();
  newer.close();
  assert.deepEqual((await told.next()).value, {
    generation: 1,
    added: [],
    removed: ["offers/ada/sum/add"],
    changed: [],
  });
});

test("an offer that cannot be taken is refused whole, says why, and leaves what was there", async (t) => {
  const { url } = await startConfig(t);
  const peer = await openPeer(t, url);
  await peer.offer([add]);
  const refused = async (operations: readonly OfferedOperation[], pattern: RegExp) => {
    const error = await failureOf(peer.offer(operations));
    assert.equal(error.code, "INVALID_INPUT");
    assert.match(error.message, pattern);
    assert.match(error.message, /What was offered before stays/);
  };
  const many = Array.from({ length: 201 }, (_, at) => ({ ...add, name: `sum/add-${at}` }));
  await refused(many, /more than 200 operations/);
  await refused([{ ...add, description: "x".repeat(1_100_000) }], /larger than 1048576 bytes/);
  await refused(
    [
      { ...add, description: "x".repeat(600_000) },
      { ...count, description: "y".repeat(600_000) },
    ],
    /larger than/,
  );
  await refused([add, { ...add, name: "not a name" }], /not of the form namespace\/name/);
  await refused([{ ...add, type: "magic" as never }], /other than query, mutation and subscription/);
  await refused([{ ...add, inputSchema: "text" as never }], /a schema that is not a schema/);
  await refused([add, { ...add, name: "services/find" }], /services\/find cannot be offered/);
  await refused([add, { ...add, description: "Another." }], /two operations would be named/);
  await refused(
    [{ ...add, errors: [{ code: "DEEP", description: "", schema: nested(200) }] }],
    /deeper than 128 levels/,
  );
  assert.equal(await peer.call("offers/anonymous/sum/add", { a: 1, b: 1 }), 2);
  assert.deepEqual(await peer.offer([]), []);
  const response = await postJson(`${url}/call`, { operation: "services/offer" });
  assert.equal(((await response.json()) as { error: { code: string } }).error.code, "INVALID_INPUT");
});
