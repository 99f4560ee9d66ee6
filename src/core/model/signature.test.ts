import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "./json.ts";
import { signatureOf } from "./signature.ts";

const CASES: readonly (readonly [
  title: string,
  inputSchema: JsonSchema,
  outputSchema: JsonSchema,
  line: string,
])[] = [
  ["nothing in, anything out", { type: "object" }, true, "() → any"],
  [
    "required parameters first",
    {
      type: "object",
      properties: { body: { type: "string" }, owner: { type: "string" }, count: { type: "integer" } },
      required: ["owner"],
    },
    { type: "object", title: "issue" },
    "(owner: string, body?: string, count?: integer) → issue",
  ],
  [
    "enums, constants, unions and arrays",
    {
      properties: {
        state: { enum: ["open", "closed"] },
        kind: { const: "bug" },
        id: { type: ["string", "integer"] },
        labels: { type: "array", items: { type: "string" } },
        either: { anyOf: [{ type: "string" }, { type: "array", items: { enum: [1, 2] } }] },
      },
    },
    { type: "array", items: { type: "object", properties: { id: {}, title: {} } } },
    '(state?: "open" | "closed", kind?: "bug", id?: string | integer, labels?: string[], either?: string | (1 | 2)[]) → {id, title}[]',
  ],
  [
    "references",
    {
      $ref: "#/$defs/input",
      $defs: {
        input: { properties: { pet: { $ref: "#/$defs/Pet" } } },
        Pet: { type: "object", title: "Pet" },
      },
    },
    { $ref: "#/nowhere" },
    "(pet?: Pet) → any",
  ],
  [
    "an endless reference",
    { properties: { a: { $ref: "#/properties/a" } } },
    { $ref: "#/%zz" },
    "(a?: any) → any",
  ],
];

for (const [title, inputSchema, outputSchema, line] of CASES) {
  test(`the signature shows ${title}`, () => {
    assert.equal(signatureOf({ inputSchema, outputSchema }), line);
  });
}

test("a signature stays one short line whatever the schema is", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`parameter_number_${index}`, { enum: ["x".repeat(500)] }]),
  );
  const line = signatureOf({ inputSchema: { properties }, outputSchema: true });
  assert.ok(line.length <= 240);
  const few = signatureOf({
    inputSchema: {
      properties: Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`p${index}`, {}])),
    },
    outputSchema: true,
  });
  assert.ok(few.includes("… 2 more"), few);
});

test("a default follows its type", () => {
  const inputSchema = {
    type: "object",
    properties: { limit: { type: "integer", default: 20 }, word: { default: "a" } },
  };
  assert.equal(
    signatureOf({ inputSchema, outputSchema: true }),
    '(limit?: integer = 20, word?: any = "a") → any',
  );
});
