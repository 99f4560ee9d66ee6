import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { createRuntime } from "../../runtime.ts";
import { defineOperation } from "./define-operation.ts";
import { CallError } from "./errors.ts";
import type { Registration } from "./registration.ts";
import { signatureOf } from "./signature.ts";

const base = { name: "demo/say", type: "query", description: "For a test." } as const;

/** The same operation by three libraries; its handler compiles only where the types follow from the schemas. */
const OPERATIONS: Readonly<Record<string, Registration>> = {
  zod: defineOperation({
    ...base,
    inputSchema: z.object({ word: z.string().min(2), times: z.number().int().default(2) }),
    outputSchema: z.object({ said: z.string() }),
    handler: ({ word, times }) => ({ said: word.repeat(times) }),
  }),
  valibot: defineOperation({
    ...base,
    inputSchema: toStandardJsonSchema(
      v.object({ word: v.pipe(v.string(), v.minLength(2)), times: v.optional(v.number(), 2) }),
    ),
    outputSchema: toStandardJsonSchema(v.object({ said: v.string() })),
    handler: ({ word, times }) => ({ said: word.repeat(times) }),
  }),
  arktype: defineOperation({
    ...base,
    inputSchema: type({ word: "string >= 2", times: "number = 2" }),
    outputSchema: type({ said: "string" }),
    handler: ({ word, times }) => ({ said: word.repeat(times) }),
  }),
};

/** arktype leaves defaults out of its JSON Schema. */
const SIGNATURES: Readonly<Record<string, RegExp>> = {
  arktype: /^\(word: string, times\?: number\) → \{said\}$/,
};

const callOf = (registration: Registration) => (input: unknown) =>
  createRuntime({ sources: [{ source: { name: "demo" }, registrations: [registration] }] }).dispatch.invoke({
    operation: registration.spec.name,
    input,
  });

for (const [library, operation] of Object.entries(OPERATIONS)) {
  test(`schemas of ${library} check input, apply defaults and show in the signature`, async () => {
    const call = callOf(operation);
    assert.deepEqual(await call({ word: "ab" }), { said: "abab" });
    assert.deepEqual(await call({ word: "ab", times: 1 }), { said: "ab" });
    for (const input of [{ word: 1 }, { word: "a" }, {}])
      await assert.rejects(call(input), { code: "INVALID_INPUT" });
    assert.match(
      signatureOf(operation.spec),
      SIGNATURES[library] ?? /^\(word: string, times\?: \w+ = 2\) → \{said\}$/,
    );
  });
}

test("rules and conversions that JSON Schema cannot say are the library's own", async () => {
  const even = z.object({ list: z.array(z.number().refine((n) => n % 2 === 0, "must be even")) });
  const operation = defineOperation({
    ...base,
    inputSchema: even.transform(({ list }) => new Set(list)),
    handler: (set) => [...set],
  });
  assert.deepEqual(await callOf(operation)({ list: [2, 2] }), [2]);
  const error: unknown = await callOf(operation)({ list: [2, 3] }).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof CallError);
  assert.equal(error.code, "INVALID_INPUT");
  assert.match(error.message, /demo\/say — \/list\/1: must be even\. Call it as demo\/say\(/);
});

test("a stream gets what the library makes of the input, too", async () => {
  const operation = defineOperation({
    ...base,
    type: "subscription",
    inputSchema: z.object({ upTo: z.coerce.number<number>().default(2) }),
    outputSchema: z.number(),
    async *handler({ upTo }) {
      for (let n = 1; n <= upTo; n++) yield n;
    },
  });
  const { dispatch } = createRuntime({ sources: [{ source: { name: "demo" }, registrations: [operation] }] });
  const items: unknown[] = [];
  for await (const item of await dispatch.invokeStreaming({ operation: "demo/say", input: {} }))
    items.push(item);
  assert.deepEqual(items, [1, 2]);
});

test("a schema without a JSON Schema is refused with what to write in its place", () => {
  const handler = () => 1;
  assert.throws(
    () => defineOperation({ ...base, inputSchema: v.object({}), handler }),
    /"demo\/say" has an inputSchema of valibot .* toStandardJsonSchema\(schema\) of @valibot\/to-json-schema/,
  );
  assert.throws(
    () => defineOperation({ ...base, inputSchema: z.object({ when: z.date() }), handler }),
    /"demo\/say" has an inputSchema of zod that has no JSON Schema: .*Date.*\. Use types that JSON has/,
  );
});
