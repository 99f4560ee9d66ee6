import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../runtime.ts";
import type { Identity, InputRequest, OperationContext, Progress } from "../model/index.ts";
import { CallError, Capabilities, defineOperation, definePlugin } from "../model/index.ts";

const ada: Identity = { id: "ada", authenticated: true, scopes: [] };

/** Two operations that do as they are told with the credential of whoever calls, in a source that has secrets of its own. */
function runtimeOf(
  run: (context: OperationContext, token: string) => unknown,
  secrets: () => readonly string[] = () => ["secret-of-the-source"],
) {
  const own = (id: string) => new Capabilities({ token: `credential-of-${id}` });
  const known = new Map<string, Capabilities>();
  const set = definePlugin({
    name: "echo",
    operations: [
      defineOperation({
        name: "echo/once",
        type: "query",
        description: "Echoes.",
        errors: [{ code: "REFUSED", description: "It says why." }],
        handler: (_input, context) => run(context, context.capabilities.get("token") ?? ""),
      }),
      defineOperation({
        name: "echo/stream",
        type: "subscription",
        description: "Echoes twice.",
        async *handler(_input, context) {
          const token = context.capabilities.get("token") ?? "";
          yield { first: token };
          throw new CallError("UNAVAILABLE", `It broke with ${token}`, { details: { token } });
        },
      }),
    ],
  });
  const registrations = set.registrations.map((registration) => ({
    ...registration,
    secrets,
    capabilities: ({ id }: Identity) => {
      const found = known.get(id) ?? own(id);
      known.set(id, found);
      return found;
    },
  }));
  return createRuntime({ sources: [{ ...set, registrations }] });
}

async function failureOf(run: Promise<unknown>): Promise<CallError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

test("an output has neither the caller's credential nor the secrets of the source, and keeps those of other people", async () => {
  const { dispatch } = runtimeOf((_context, token) => ({
    token,
    text: `secret-of-the-source and credential-of-ben`,
    [token]: 1,
  }));
  const output = await dispatch.invoke({ operation: "echo/once" }, { identity: ada });
  assert.deepEqual(output, {
    token: "[redacted]",
    text: "[redacted] and credential-of-ben",
    "[redacted]": 1,
  });
});

test("secrets are gone before select sees an output, and before it is cut", async () => {
  const { dispatch } = runtimeOf((_context, token) => ({ token }));
  const call = { operation: "echo/once", select: "token[:10]" };
  const error = await failureOf(dispatch.invoke(call, { identity: ada })).catch(() => undefined);
  assert.ok(!JSON.stringify(error ?? {}).includes("credential"));
  const joined = { operation: "echo/once", select: "join('-', [token, 'x'])" };
  assert.equal(await dispatch.invoke(joined, { identity: ada }), "[redacted]-x");
});

test("message and details of an error are redacted, declared or not", async () => {
  for (const code of ["REFUSED", "UNAVAILABLE", "UNKNOWN_CODE"]) {
    const { dispatch } = runtimeOf((_context, token) => {
      throw new CallError(code, `Refused: ${token}`, { details: { deep: [token] } });
    });
    const error = await failureOf(dispatch.invoke({ operation: "echo/once" }, { identity: ada }));
    assert.ok(!JSON.stringify(error).includes("credential-of-ada"), code);
    if (code === "REFUSED") {
      assert.equal(error.message, "Refused: [redacted]");
      assert.deepEqual(error.details, { deep: ["[redacted]"] });
    }
  }
});

test("items of a stream are redacted, and so is the error that ends it", async () => {
  const { dispatch } = runtimeOf(() => null);
  const items = await dispatch.invokeStreaming({ operation: "echo/stream" }, { identity: ada });
  assert.deepEqual((await items.next()).value, { first: "[redacted]" });
  const error = await failureOf(items.next());
  assert.equal(error.message, "It broke with [redacted]");
  assert.deepEqual(error.details, { token: "[redacted]" });
});

test("progress and questions are redacted", async () => {
  const told: (Progress | InputRequest)[] = [];
  const { dispatch } = runtimeOf(async (context, token) => {
    context.progress({ progress: 1, message: `with ${token}` });
    const asked = { key: "q", message: `Is it ${token}?`, schema: { title: token } };
    return (await context.requestInput(asked)).action;
  });
  await dispatch.invoke(
    { operation: "echo/once" },
    {
      identity: ada,
      progress: (update) => void told.push(update),
      requestInput: async (request) => {
        told.push(request);
        return { action: "decline" };
      },
    },
  );
  assert.deepEqual(told, [
    { progress: 1, message: "with [redacted]" },
    { key: "q", message: "Is it [redacted]?", schema: { title: "[redacted]" } },
  ]);
});

test("a secret that a source gets while a call runs is kept out of that call", async () => {
  const tokens: string[] = [];
  const renewed = () => {
    tokens.push("token-got-just-now");
    return tokens.at(-1);
  };
  const { dispatch } = runtimeOf(renewed, () => tokens);
  assert.equal(await dispatch.invoke({ operation: "echo/once" }, { identity: ada }), "[redacted]");
});

test("a handler can redact what it cuts", async () => {
  const { dispatch } = runtimeOf((context, token) => context.redact(`it is ${token}`).slice(0, 16));
  assert.equal(await dispatch.invoke({ operation: "echo/once" }, { identity: ada }), "it is [redacted]");
});
