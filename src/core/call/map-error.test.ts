import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type RuntimeOptions } from "../../runtime.ts";
import type { Registration } from "../model/index.ts";
import { CallError, defineOperation } from "../model/index.ts";

function runtimeOf(registrations: readonly Registration[], options: RuntimeOptions = {}) {
  return createRuntime({ sources: [{ source: { name: "test" }, registrations }], ...options });
}

async function failure(work: Promise<unknown>): Promise<CallError> {
  const error = await work.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof CallError, String(error));
  return error;
}

test("a thrown error stays in the log, and the caller gets a request id to report", async () => {
  const logged: unknown[] = [];
  const log = { warn: () => {}, error: (_message: string, fields?: object) => logged.push(fields) };
  const broken = defineOperation({
    name: "demo/broken",
    type: "query",
    description: "For a test.",
    inputSchema: { type: "object", properties: { how: {} } },
    handler: ({ how }) => {
      if (how === "late") return Promise.reject(new TypeError("password is hunter2"));
      throw how === "text" ? "hunter2" : new TypeError("password is hunter2");
    },
  });
  const { dispatch } = runtimeOf([broken], { log });
  for (const how of ["early", "late", "text"]) {
    const error = await failure(
      dispatch.invoke({ operation: "demo/broken", input: { how } }, { requestId: "r-7" }),
    );
    assert.equal(error.code, "INTERNAL");
    assert.match(error.message, /demo\/broken failed.*report request r-7/);
    assert.ok(!JSON.stringify(error).includes("hunter2"));
    assert.equal(error.details, undefined);
  }
  assert.equal(logged.length, 3);
  assert.ok(JSON.stringify(logged[0]).includes("hunter2"), "the log has it");
});

test("a declared error passes with its details, an undeclared one becomes INTERNAL with its code", async () => {
  const pay = defineOperation({
    name: "demo/pay",
    type: "mutation",
    description: "For a test.",
    errors: [{ code: "CARD_DECLINED", description: "For a test.", retryable: true, httpStatus: 402 }],
    inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
    handler: ({ code }) => {
      throw new CallError(code, "Use another card.", { details: { last4: "4242" } });
    },
  });
  const { dispatch } = runtimeOf([pay]);
  const thrown = (code: string) => failure(dispatch.invoke({ operation: "demo/pay", input: { code } }));

  const declared = await thrown("CARD_DECLINED");
  assert.deepEqual(declared.toJSON(), {
    code: "CARD_DECLINED",
    message: "Use another card.",
    retryable: true,
    details: { last4: "4242" },
  });
  for (const code of ["SOMETHING_ELSE", "NOT_FOUND", "FORBIDDEN"]) {
    const undeclared = await thrown(code);
    assert.deepEqual([undeclared.code, undeclared.details], ["INTERNAL", { code }]);
    assert.ok(!undeclared.message.includes("card"));
  }
  for (const code of ["UNAVAILABLE", "RATE_LIMITED", "INVALID_INPUT", "UNAUTHORIZED_UPSTREAM"]) {
    assert.deepEqual([(await thrown(code)).code, (await thrown(code)).message], [code, "Use another card."]);
  }
});

test("a step that is not worth another try makes the whole not worth one either", async () => {
  const step = defineOperation({
    name: "demo/step",
    type: "query",
    description: "For a test.",
    inputSchema: { type: "object", properties: { retryable: { type: "boolean" } } },
    handler: ({ retryable = false }) => {
      throw new CallError("UNAVAILABLE", "Not here.", { retryable });
    },
  });
  const whole = defineOperation({
    name: "demo/whole",
    type: "query",
    description: "For a test.",
    inputSchema: { type: "object" },
    composes: ["demo/step"],
    handler: (input, { env }) => env.invoke("demo/step", input),
  });
  const { dispatch } = runtimeOf([step, whole]);
  for (const retryable of [true, false]) {
    const error = await failure(dispatch.invoke({ operation: "demo/whole", input: { retryable } }));
    assert.deepEqual([error.code, error.retryable], ["UNAVAILABLE", retryable]);
  }
});

test("retryable set by a handler beats the declaration of its operation", async () => {
  const pay = defineOperation({
    name: "demo/pay",
    type: "query",
    description: "Pays.",
    errors: [{ code: "BUSY", description: "Busy.", retryable: true }],
    inputSchema: { type: "object", properties: { retryable: { type: "boolean" } } },
    handler: ({ retryable }) => {
      throw new CallError("BUSY", "Busy.", retryable === undefined ? {} : { retryable });
    },
  });
  const { dispatch } = runtimeOf([pay]);
  const thrown = (input: object) => failure(dispatch.invoke({ operation: "demo/pay", input }));
  assert.equal((await thrown({})).retryable, true);
  assert.equal((await thrown({ retryable: false })).retryable, false);
  assert.equal((await thrown({ retryable: true })).retryable, true);
});

test("a declared error of a plugin with its own copy of the package reaches the caller", async () => {
  const copy = `${import.meta.url.replace("call/map-error.test.ts", "model/errors.ts")}?copy-of-plugin`;
  const { CallError: Other }: { readonly CallError: typeof CallError } = await import(copy);
  const show = defineOperation({
    name: "demo/show",
    type: "query",
    description: "Shows a ticket.",
    errors: [{ code: "NO_TICKET", description: "There is none." }],
    handler: () => {
      throw new Other("NO_TICKET", "There is no such ticket.", { details: { id: "zz" } });
    },
  });
  const error = await failure(runtimeOf([show]).dispatch.invoke({ operation: "demo/show" }));
  assert.deepEqual([error.code, error.details], ["NO_TICKET", { id: "zz" }]);
});
