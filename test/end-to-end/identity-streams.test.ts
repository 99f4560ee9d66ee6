import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { newToken } from "../../src/identity/index.ts";
import { deferred } from "../support/deferred.ts";
import { eventsOf, postJson } from "../support/http-wire.ts";
import { startIdentityGateway } from "../support/identity-gateway.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;
/** A stream of one item, and of one more once it may. */
const STEPS = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  export default definePlugin({ name: "steps", operations: [defineOperation({ name: "steps/follow", type: "subscription",
    description: "Follows.", async *handler(_, { signal }) {
      yield 1;
      try { await globalThis.pinholeTestStep; yield 2; } finally { globalThis.pinholeTestStepEnded?.(); }
    } })] });`;

const token = newToken();
const SOURCES = { sources: { steps: { plugin: "./steps.ts", public: true } } };
const WITH = { ...SOURCES, identities: [{ id: "ada", tokenHash: token.tokenHash, scopes: ["read"] }] };

/** Opens a stream, takes another config, lets the stream go on, and answers what comes next. */
async function afterReload(
  t: TestContext,
  { before, after, token: presented }: { before: object; after: object; token?: string },
) {
  const { gateway, write } = await startIdentityGateway(t, before, { files: { "steps.ts": STEPS } });
  const step = deferred<void>();
  const ended = deferred<void>();
  Object.assign(globalThis, { pinholeTestStep: step.promise, pinholeTestStepEnded: () => ended.resolve() });
  const options = presented === undefined ? {} : { token: presented };
  const response = await postJson(`${gateway.url}/subscribe`, { operation: "steps/follow" }, options);
  const events = eventsOf(response);
  assert.deepEqual((await events.next()).value, { event: "message", data: 1 });
  await write(after);
  await gateway.reload();
  step.resolve();
  const { value } = await events.next();
  for await (const _ of events);
  await ended.promise;
  return value;
}

describe("a stream that is open when the config changes", () => {
  test("a stream that is open when the config changes goes on for a caller that is known as before", async (t) => {
    const after = { ...WITH, limits: { deadlineMs: 20_000 } };
    const next = await afterReload(t, { before: WITH, after, token: token.token });
    assert.deepEqual(next, { event: "message", data: 2 });
  });

  test("a stream that is open when the config changes hands nothing more to a caller whose token was taken back", async (t) => {
    const after = { ...WITH, identities: [{ id: "bob", tokenHash: newToken().tokenHash }] };
    const next = await afterReload(t, { before: WITH, after, token: token.token });
    assert.equal(next?.event, "error");
    assert.match(JSON.stringify(next?.data), /FORBIDDEN.*not known here/);
  });

  test("a stream that is open when the config changes ends at once for a caller whose token was taken back, also while it is silent", async (t) => {
    const { gateway, write } = await startIdentityGateway(t, WITH, { files: { "steps.ts": STEPS } });
    const step = deferred<void>();
    t.after(() => step.resolve());
    Object.assign(globalThis, { pinholeTestStep: step.promise });
    const subscribed = { operation: "steps/follow" };
    const events = eventsOf(await postJson(`${gateway.url}/subscribe`, subscribed, { token: token.token }));
    await events.next();
    await write({ ...WITH, identities: [{ id: "bob", tokenHash: newToken().tokenHash }] });
    await gateway.reload();
    const { value } = await events.next();
    assert.match(JSON.stringify(value), /FORBIDDEN.*not known here/);
  });

  test("a stream that is open when the config changes hands nothing more to a caller that may do less than before", async (t) => {
    const after = { ...WITH, identities: [{ id: "ada", tokenHash: token.tokenHash }] };
    const next = await afterReload(t, { before: WITH, after, token: token.token });
    assert.match(JSON.stringify(next?.data), /FORBIDDEN.*Subscribe again/);
  });

  test("a stream that is open when the config changes hands nothing more to a caller without a token where one is needed now", async (t) => {
    const after = { ...WITH, access: { anonymous: false } };
    const next = await afterReload(t, { before: WITH, after });
    assert.match(JSON.stringify(next?.data), /FORBIDDEN.*Subscribe again/);
  });
});
