import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../runtime.ts";
import type { Identity, Registration } from "../model/index.ts";
import { defineOperation } from "../model/index.ts";

const TRAINEE: Identity = { id: "trainee", authenticated: true, scopes: [], mutations: "dry" };

/** A runtime in which mutations of the caller run dry, with what was done and what was audited. */
function dryRuntime(registrations: readonly Registration[]) {
  const audited: string[] = [];
  const { dispatch } = createRuntime({
    sources: [{ source: { name: "desk" }, registrations }],
    audit: ({ operation, outcome }) => audited.push(`${operation} ${outcome}`),
  });
  return { dispatch, audited };
}

test("a handler that handles a dry run is run and told so; others are not run", async () => {
  const put = (name: string, dry: object) =>
    defineOperation({
      name,
      type: "mutation",
      description: "Puts.",
      ...dry,
      handler: (_input, { dryRun }) => (dryRun ? "would put" : "put"),
    });
  const { dispatch, audited } = dryRuntime([put("desk/put", { dry: "handled" }), put("desk/plain", {})]);
  const run = (operation: string, identity?: Identity) =>
    dispatch.invoke({ operation }, identity ? { identity } : {});
  assert.equal(await run("desk/put", TRAINEE), "would put");
  assert.equal(await run("desk/put"), "put");
  assert.equal(((await run("desk/plain", TRAINEE)) as { dryRun: boolean }).dryRun, true);
  assert.deepEqual(audited, ["desk/put dry", "desk/put ok", "desk/plain dry"]);
});

test("a composer never sees the answer of a dry run, even where it handles every failure", async () => {
  const seen: unknown[] = [];
  const add = defineOperation({
    name: "desk/add",
    type: "mutation",
    description: "Adds.",
    handler: () => ({ n: 1 }),
  });
  const middle = defineOperation({
    name: "desk/middle",
    type: "query",
    description: "Adds for others.",
    composes: ["desk/*"],
    handler: (_input, { env }) => env.invoke("desk/add"),
  });
  const look = defineOperation({
    name: "desk/look",
    type: "query",
    description: "Looks.",
    composes: ["desk/*"],
    handler: async (_input, { env, dryRun }) => {
      seen.push(dryRun);
      const answer = await env.invoke("desk/middle").catch((error) => error.code);
      seen.push(answer);
      return (answer as { n: number }).n;
    },
  });
  const watch = defineOperation({
    name: "desk/watch",
    type: "subscription",
    description: "Watches.",
    composes: ["desk/*"],
    async *handler(_input, { env }) {
      yield 1;
      yield env.invoke("desk/add");
    },
  });
  const { dispatch, audited } = dryRuntime([add, middle, look, watch]);
  const answer = (await dispatch.invoke({ operation: "desk/look" }, { identity: TRAINEE })) as {
    reached: string;
  };
  assert.equal(answer.reached, "desk/add");
  // The caller has its answer before the handler knows.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(audited.sort(), ["desk/add dry", "desk/look dry", "desk/middle dry"]);
  assert.deepEqual(seen.slice(0, 2), [true, "ABORTED"]);

  const items: unknown[] = [];
  for await (const item of await dispatch.invokeStreaming({ operation: "desk/watch" }, { identity: TRAINEE }))
    items.push((item as { reached?: string }).reached ?? item);
  assert.deepEqual(items, [1, "desk/add"]);
  assert.deepEqual(audited.slice(3).sort(), ["desk/add dry", "desk/watch dry"]);
});

test("dry is refused where it has no effect", () => {
  const taken = (type: "query" | "mutation", more: object, provenance: "local" | "from-mcp" = "local") => {
    const operation = defineOperation({
      name: "desk/x",
      type,
      description: "Does.",
      ...more,
      handler: () => 1,
    });
    return () => dryRuntime([{ ...operation, provenance }]);
  };
  taken("mutation", { dry: "handled" })();
  assert.throws(taken("query", { dry: "handled" }), /has dry: "handled" but changes nothing/);
  assert.throws(taken("mutation", { dry: true }), /has dry: true; leave it out, or say "handled"/);
  assert.throws(taken("mutation", { dry: "handled" }, "from-mcp"), /no dry run reaches its handler/);
});
