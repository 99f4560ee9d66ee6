import assert from "node:assert/strict";
import { test } from "node:test";
import { defineOperation, type Registration, RegistrationError, SILENT_LOG } from "../model/index.ts";
import { keepImported, type OnSet } from "./kept-source.ts";
import { Registry } from "./registry.ts";

async function healthOf(registrations: readonly Registration[], onSet: OnSet) {
  const set = { source: { name: "up" }, registrations };
  const kept = keepImported({
    name: "up",
    log: SILENT_LOG,
    refreshMs: 300_000,
    attempt: async () => ({ set, leftOut: [] }),
    onSet,
  });
  await kept.firstAttempt;
  await kept.close();
  return kept.health();
}

function imported(name: string, more: object = {}): Registration {
  const { spec, handler } = defineOperation({
    name,
    type: "query",
    description: "For a test.",
    inputSchema: {},
    handler: () => 1,
  });
  return { spec: { ...spec, ...more }, handler, provenance: "from-mcp" };
}

test("a source lacks only the operation that cannot be registered, with the reason", async () => {
  const registry = new Registry();
  const registrations = [imported("up/one"), imported("up/two", { tags: [7] }), imported("up/three")];
  const health = await healthOf(registrations, (set) => registry.apply({ replace: [set] }));
  assert.deepEqual(health, {
    state: "healthy",
    operations: 2,
    leftOut: ['Operation "up/two" has tags that are not a list of texts.'],
    warnings: [],
  });
  assert.equal(registry.snapshot().count(), 2);
});

test("a source that is refused as a whole says whether a name is taken or a definition is wrong", async () => {
  const twice = new Registry();
  const taken = await healthOf([imported("up/one"), imported("up/one")], (set) =>
    twice.apply({ replace: [set] }),
  );
  assert.equal(taken.state === "unhealthy" && taken.code, "NAME_COLLISION");
  const wrong = await healthOf([], () => {
    throw new RegistrationError("It is nested too deeply.");
  });
  assert.equal(wrong.state === "unhealthy" && wrong.code, "SCHEMA_PARSE");
});
