import assert from "node:assert/strict";
import { test } from "node:test";
import { Capabilities, ImportError, type OnSet, RegistrationError, SILENT_LOG } from "../../core/index.ts";
import { createOutbound } from "../../outbound/index.ts";
import type { LoadDocument } from "./options.ts";
import { createOpenapiSource } from "./start.ts";

function documentAt(server: string, ...ids: string[]) {
  const get = (operationId: string) => ({ get: { operationId, responses: {} } });
  const root = {
    openapi: "3.1.0",
    servers: [{ url: server }],
    paths: Object.fromEntries(ids.map((id) => [`/${id}`, get(id)])),
  };
  return { root, fingerprint: `${server} ${ids}` };
}

function start(load: LoadDocument, onSet: OnSet = () => {}) {
  return createOpenapiSource(
    {
      name: "api",
      headers: {},
      external: [],
      scopes: [],
      public: false,
      operations: {},
      timeoutMs: 30_000,
      refreshMs: 60_000,
      outbound: createOutbound(),
      capabilities: () => new Capabilities({ token: "t" }),
      log: SILENT_LOG,
      load,
    },
    onSet,
  );
}

test("a document is imported at the start and again when it differs", async () => {
  const sets: number[] = [];
  let document = documentAt("https://a.example.com", "x");
  const source = start(
    async (known) => (known === document.fingerprint ? undefined : document),
    (set) => sets.push(set.registrations.length),
  );
  await source.firstAttempt;
  await source.refresh();
  document = documentAt("https://a.example.com", "x", "y");
  await source.refresh();
  assert.deepEqual(sets, [1, 2]);
  assert.deepEqual(source.health(), { state: "healthy", operations: 2, leftOut: [], warnings: [] });
  await source.close();
});

test("an unreadable document makes the source unhealthy, keeps the old operations, and recovers", async () => {
  let sets = 0;
  let fault: Error | undefined = new ImportError("TRANSPORT", "away");
  const source = start(
    async () => {
      if (fault) throw fault;
      return documentAt("https://a.example.com", "x");
    },
    () => void sets++,
  );
  await source.firstAttempt;
  assert.deepEqual(source.health(), { state: "unhealthy", code: "TRANSPORT", reason: "away" });
  fault = undefined;
  await source.refresh();
  assert.equal(source.health().state, "healthy");
  fault = new Error("odd");
  await source.refresh();
  assert.deepEqual([source.health().state, sets], ["unhealthy", 1]);
  await source.close();
  await source.refresh();
});

test("a name that another source has is a collision", async () => {
  const source = start(
    async () => documentAt("https://a.example.com", "x"),
    () => {
      throw new RegistrationError("taken", "NAME_COLLISION");
    },
  );
  await source.firstAttempt;
  assert.deepEqual(source.health(), { state: "unhealthy", code: "NAME_COLLISION", reason: "taken" });
  await source.close();
});

test("a document that names a new host does not get the credentials", async () => {
  let server = "https://a.example.com";
  const sets: unknown[] = [];
  const source = start(
    async () => documentAt(server, "x"),
    (set) => sets.push(set),
  );
  await source.firstAttempt;
  server = "https://evil.example.net";
  await source.refresh();
  const health = source.health();
  assert.equal(sets.length, 1);
  assert.match(health.state === "unhealthy" ? health.reason : "", /now names https:\/\/evil\.example\.net/);
  await source.close();
});
