import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, type Dispatch, type Entrance, type Identity } from "../../core/index.ts";
import { RECHECK_MS, reauthorizedStreams } from "./reauthorized-streams.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: ["read"] };

const ENTRANCE = { identity: ADA } as Entrance;

/** Has one stream, which says nothing until it is aborted. */
const SILENT: Dispatch = {
  invoke: async () => {},
  async invokeStreaming(_call, { signal } = {}) {
    async function* items() {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      yield* [];
      throw new CallError("ABORTED", "It was aborted.");
    }
    return items();
  },
};

function subscribe(enter: () => Promise<Entrance>) {
  const wrap = reauthorizedStreams({ rules: () => "the same", enter });
  return wrap(SILENT, { identity: ADA, internal: false }).invokeStreaming({ operation: "a/b" });
}

const unknown = async () => {
  throw new CallError("FORBIDDEN", "This token is not known.");
};

test("a silent stream ends too when its token does", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const items = await subscribe(unknown);
  const next = items.next();
  t.mock.timers.tick(RECHECK_MS);
  await assert.rejects(next, /This token is not known/);
});

test("a stream goes on while its token cannot be checked", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const answers = [
    async () => {
      throw new CallError("UNAVAILABLE", "The issuer is down.");
    },
    async () => {
      throw new TypeError("a bug");
    },
    async () => ENTRANCE,
    unknown,
  ];
  let asked = 0;
  const items = await subscribe(() => answers[asked++]?.() ?? unknown());
  const next = items.next();
  for (const _ of answers) t.mock.timers.tick(RECHECK_MS);
  await assert.rejects(next, /This token is not known/);
  assert.equal(asked, answers.length);
});

test("a stream that its reader leaves is not checked again", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let asked = 0;
  const items = await subscribe(async () => {
    asked++;
    return ENTRANCE;
  });
  await items.return?.();
  t.mock.timers.tick(RECHECK_MS);
  assert.equal(asked, 0);
});
