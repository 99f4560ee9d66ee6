import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { completeSpec, type JsonSchema, type OperationSpec } from "../../core/index.ts";
import { fitSpecs, schemaTokens } from "./schema.ts";

const text = (length: number) => "It says what this is for, and then more. ".repeat(length / 40);

function spec(name: string, inputSchema: JsonSchema, outputSchema: JsonSchema = true): OperationSpec {
  return completeSpec({
    name: `api/${name}`,
    type: "query",
    visibility: "external",
    description: "Does things.",
    inputSchema,
    outputSchema,
    access: { scopes: ["secret"] },
  });
}

/** An object of so many levels, each with so many properties. */
function tree(levels: number, width: number, description = ""): JsonSchema {
  const names = Array.from({ length: width }, (_, index) => `name_${index}`);
  const part = levels === 0 ? { type: "string" } : (tree(levels - 1, width, description) as object);
  const properties = Object.fromEntries(names.map((name) => [name, { ...part, description }]));
  return { type: "object", properties };
}

const SMALL = spec("small", tree(1, 3));
const tokens = (value: unknown) => countTokens(JSON.stringify(value));

test("a spec that fits is shown whole, without its access rules", () => {
  const { access: _, ...shown } = SMALL;
  assert.deepEqual(fitSpecs([SMALL]), { operations: [shown] });
});

test("a long output schema that operations share is written once, a short one each time", () => {
  const long = tree(1, 10);
  const short = { type: "string" };
  const { operations, note } = fitSpecs([
    spec("a", true, long),
    spec("b", true, short),
    spec("c", true, long),
    spec("d", true, short),
  ]);
  assert.deepEqual(
    operations.map(({ outputSchema }) => outputSchema),
    [long, short, { $comment: "the outputSchema of api/a" }, short],
  );
  assert.equal(note, undefined);
});

test("the output gets shorter before anything of the input does", () => {
  const input = tree(1, 5, text(80));
  const { operations, note } = fitSpecs([spec("big", input, tree(4, 10, text(80)))]);
  assert.deepEqual(operations[0]?.inputSchema, input);
  assert.ok(JSON.stringify(operations[0]?.outputSchema).includes('"$comment":"left out"'));
  assert.match(
    String(note),
    /^Parts with the \$comment "left out" are shortened in api\/big\. .*select such as operations\[0\]\.outputSchema\.properties\./,
  );
});

test("descriptions of the input get shorter before any of its parts is left out", () => {
  const { operations, note } = fitSpecs([spec("wordy", tree(1, 8, text(600)))]);
  const shown = JSON.stringify(operations[0]?.inputSchema);
  assert.ok(!shown.includes("left out"));
  assert.equal(shown.match(/name_7/g)?.length, 9);
  assert.match(String(note), /^Long texts and lists are shortened or left out in api\/wordy\./);
});

test("a reply costs no more than its budget, whatever the operations are", () => {
  const wide = tree(1, 150, text(200));
  const deep = tree(5, 8, text(200));
  const enums = { properties: { a: { enum: Array.from({ length: 9_000 }, (_, index) => `v${index}`) } } };
  const cycle = { $ref: "#/$defs/a", $defs: { a: { properties: { a: { $ref: "#/$defs/a" }, b: deep } } } };
  const rows = [
    [spec("a", wide, wide)],
    [spec("a", deep, deep)],
    [spec("a", enums, cycle)],
    [spec("a", cycle, enums)],
    [SMALL, spec("a", deep, wide), spec("b", deep, deep)],
    Array.from({ length: 10 }, (_, index) => spec(`a${index}`, deep, wide)),
  ];
  for (const specs of rows) {
    const reply = fitSpecs(specs);
    assert.deepEqual(
      reply.operations.map(({ name }) => name),
      specs.map(({ name }) => name),
    );
    assert.ok(tokens(reply) <= schemaTokens(specs.length) + 300, `${specs.length}: ${tokens(reply)}`);
  }
});

test("nothing else of an operation is beyond the budget either: icons, errors, tags, defaults, keywords of its own", () => {
  const long = text(100_000);
  const many = Array.from({ length: 5_000 }, (_, index) => `name_${index}`);
  const small = (more: object) => ({ type: "object", properties: { a: { type: "string", ...more } } });
  const whole = SMALL.inputSchema;
  for (const [odd, shown] of [
    [{ ...SMALL, annotations: { icons: [{ src: `data:image/png;base64,${long}` }] } }, whole],
    [{ ...SMALL, title: long, tags: many, deprecated: long }, whole],
    [{ ...SMALL, errors: many.map((code) => ({ code, description: text(400) })) }, whole],
    [spec("a", small({ default: many })), small({ $comment: "left out" })],
    [spec("a", small({ const: long, title: long, "x-own": many })), small({ $comment: "left out" })],
    [spec("a", small({ items: many.map(() => ({ type: "string" })) })), true],
    [spec("a", { ...small({}), required: many }), true],
    [spec("a", { type: "object", properties: { [long]: {} } }), true],
    [spec("a", { enum: Array(5).fill(long) }), true],
  ] as const) {
    const reply = fitSpecs([odd]);
    assert.ok(tokens(reply) <= schemaTokens(1) + 300, String(tokens(reply)));
    assert.deepEqual(reply.operations[0]?.inputSchema, shown);
    assert.match(String(reply.note), /^(?:Parts with|Long texts and lists are shortened or left out in)/);
  }
});

test("a small spec stays whole next to a large one, which gets the rest of the budget", () => {
  const big = spec("big", tree(5, 8, text(200)));
  const together = fitSpecs([SMALL, SMALL, SMALL, big]);
  assert.deepEqual(together.operations[0]?.inputSchema, SMALL.inputSchema);
  const alone = fitSpecs([big]).operations[0];
  assert.deepEqual(together.operations[3], alone);
});

test("errors keep their codes and get shorter schemas", () => {
  const errors = [
    { code: "HTTP_400", description: "Wrong.", schema: { properties: { body: tree(4, 6, text(80)) } } },
  ];
  const { operations } = fitSpecs([{ ...spec("big", tree(1, 2), tree(4, 8)), errors }]);
  const [error] = operations[0]?.errors ?? [];
  assert.equal(error?.code, "HTTP_400");
  assert.ok(tokens(error) < 1_500, String(tokens(error)));
});

test("a spec that cannot be shortened enough is shown without its schemas", () => {
  const { operations, note } = fitSpecs([spec("endless", tree(1, 20_000))]);
  assert.equal(operations[0]?.inputSchema, true);
  assert.match(String(note), /api\/endless/);
});

test("the same operation is always shown in the same way", () => {
  const make = () => fitSpecs([spec("big", tree(4, 7, text(300)), tree(4, 9, text(100)))]);
  assert.equal(JSON.stringify(make()), JSON.stringify(make()));
});
