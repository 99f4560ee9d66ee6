import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../runtime.ts";
import { type AccessControl, CallError, defineOperation, type Identity } from "../model/index.ts";
import type { RootCall } from "./frame.ts";

const ADA: Identity = { id: "ada", scopes: ["store"], authenticated: true, resources: { shelf: ["read"] } };
const BO: Identity = { id: "bo", scopes: [], authenticated: true };

function failing(name: string, given: { access?: AccessControl; visibility?: "internal" } = {}) {
  return defineOperation({
    name,
    type: "query",
    description: "For a test.",
    errors: [{ code: "EMPTY", description: "Nothing is left." }],
    inputSchema: { type: "object", properties: { code: { type: "string" }, id: { type: "string" } } },
    handler: ({ code = "EMPTY" }) => {
      throw new CallError(code, "Shelf 7 is empty.");
    },
    ...given,
  });
}

function composing(name: string, step: string, input: object = {}) {
  return defineOperation({
    name,
    type: "query",
    description: "For a test.",
    inputSchema: { type: "object" },
    composes: [step],
    authority: { scopes: ["store"], resources: { "shelf:7": ["read"] } },
    handler: (_, { env }) => env.invoke(step, input),
  });
}

type Operations = readonly ReturnType<typeof composing | typeof failing>[];

async function errorOf(registrations: Operations, identity: Identity, root: RootCall = {}) {
  const { dispatch } = createRuntime({ sources: [{ source: { name: "test" }, registrations }] });
  const error = await dispatch
    .invoke({ operation: "shop/order" }, { ...root, identity })
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof CallError, String(error));
  return error;
}

test("the message of a composed call goes up where its reader could call that operation", async () => {
  const step = failing("shelf/take", { access: { scopes: ["store"] } });
  const order = composing("shop/order", "shelf/take");
  const seen = await errorOf([order, step], ADA);
  assert.equal(seen.code, "INTERNAL");
  assert.match(seen.message, /^A step of shop\/order, shelf\/take, ended with EMPTY: Shelf 7 is empty\./);
  const { code, operation } = seen.details as { code: string; operation: string };
  assert.deepEqual([code, operation], ["EMPTY", "shelf/take"]);

  const hidden = await errorOf([order, step], BO);
  assert.doesNotMatch(JSON.stringify(hidden), /shelf|Shelf/);
  assert.deepEqual(Object.keys(hidden.details as object), ["code", "requestId"]);

  const unavailable = composing("shop/order", "shelf/take", { code: "UNAVAILABLE" });
  const { code: same, message, retryable } = await errorOf([unavailable, step], ADA);
  assert.deepEqual(
    [same, message, retryable],
    ["UNAVAILABLE", "A step of shop/order, shelf/take, ended with UNAVAILABLE: Shelf 7 is empty.", true],
  );
});

test("neither an endpoint that does not reach a step nor a thing out of the reader's reach shows its words", async () => {
  const order = composing("shop/order", "shelf/take", { id: "7" });
  const step = failing("shelf/take");
  const reach = { key: "shop", includes: ({ name }: { name: string }) => name.startsWith("shop/") };
  assert.match(JSON.stringify(await errorOf([order, step], BO)), /Shelf 7/);
  assert.doesNotMatch(JSON.stringify(await errorOf([order, step], BO, { reach })), /[sS]helf/);

  const access = { resource: { type: "shelf", action: "read", idPath: "/id" } };
  const owned = failing("shelf/take", { access });
  const reader = (id: string) => ({ ...BO, resources: { [`shelf:${id}`]: ["read"] } });
  assert.match(JSON.stringify(await errorOf([order, owned], reader("7"))), /Shelf 7/);
  assert.doesNotMatch(JSON.stringify(await errorOf([order, owned], reader("8"))), /[sS]helf/);
});

test("words that a step repeats from further down go up only where their reader could make both calls", async () => {
  const order = composing("shop/order", "shop/pick");
  const pick = composing("shop/pick", "shelf/take");
  const both = await errorOf([order, pick, failing("shelf/take")], BO);
  assert.match(both.message, /shop\/pick.*Shelf 7/);
  const inner = failing("shelf/take", { visibility: "internal" });
  assert.doesNotMatch(JSON.stringify(await errorOf([order, pick, inner], BO)), /[sS]helf/);
  const guarded = failing("shelf/take", { access: { scopes: ["store"] } });
  assert.doesNotMatch(JSON.stringify(await errorOf([order, pick, guarded], BO)), /[sS]helf/);
  assert.match((await errorOf([order, pick, guarded], ADA)).message, /Shelf 7/);
});
