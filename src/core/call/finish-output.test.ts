import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type RuntimeOptions } from "../../runtime.ts";
import type { JsonSchema, Provenance } from "../model/index.ts";
import { CallError, defineOperation } from "../model/index.ts";

interface Setting extends RuntimeOptions {
  readonly output: unknown;
  readonly type?: "query" | "mutation";
  readonly provenance?: Provenance;
  readonly select?: string;
}

const ID = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };

async function answer({
  output,
  type = "query",
  provenance = "local",
  select,
  ...options
}: Setting): Promise<unknown> {
  const operation = defineOperation({
    name: "demo/answer",
    type,
    description: "For a test.",
    outputSchema: ID as JsonSchema,
    handler: () => output,
  });
  const registrations = [{ ...operation, provenance }];
  const { dispatch } = createRuntime({ sources: [{ source: { name: "test" }, registrations }], ...options });
  return dispatch.invoke({ operation: "demo/answer", select }).catch((error: unknown) => {
    assert.ok(error instanceof CallError, String(error));
    return error;
  });
}

function recordingLog() {
  const lines: [string, unknown][] = [];
  const keep = (message: string, fields?: object) => lines.push([message, fields]);
  return { lines, log: { warn: keep, error: keep } };
}

test("a select that takes too many steps is an invalid input, and the output goes along", async () => {
  const ones = `\`[${Array(170).fill(1).join()}]\``;
  const select = Array.from({ length: 5 }).reduce<string>((inner) => `length(map(&${inner}, ${ones}))`, "id");
  const refused = (await answer({ output: { id: 1 }, type: "mutation", select })) as CallError;
  assert.equal(refused.code, "INVALID_INPUT");
  assert.match(
    refused.message,
    /it takes too many steps; narrow it: .*The operation has run: do not simply repeat it\./,
  );
  assert.deepEqual((refused.details as { output: unknown }).output, { id: 1 });
});

test("the output of an imported operation that does not fit is passed on with a warning by default", async () => {
  const { lines, log } = recordingLog();
  const output = { id: "s3cret" };
  assert.deepEqual(await answer({ output, provenance: "from-mcp", log }), output);
  assert.equal(lines[0]?.[0], "An output does not fit its schema");
  assert.ok(!JSON.stringify(lines).includes("s3cret"), "the log names the place, not the data");
});

test("an output that does not fit is refused with enforce, and not checked with off", async () => {
  const { lines, log } = recordingLog();
  const wrong = { output: { id: "x" }, provenance: "from-openapi" as const, log };
  const refused = await answer({ ...wrong, outputValidation: "enforce" });
  assert.ok(refused instanceof CallError);
  assert.equal(refused.code, "OUTPUT_INVALID");
  assert.deepEqual(refused.details, { problems: [{ path: "/id", expected: "integer", actual: '"x"' }] });
  assert.deepEqual(await answer({ ...wrong, outputValidation: "off" }), { id: "x" });
  assert.deepEqual(lines, []);
});

test("the output of a local operation is held to its schema too, as it is once it is JSON", async () => {
  const { lines, log } = recordingLog();
  assert.deepEqual(await answer({ output: { id: "x" }, log }), { id: "x" });
  assert.equal(lines[0]?.[0], "An output does not fit its schema");
  const enforced = (output: unknown) => answer({ output, outputValidation: "enforce" });
  assert.equal(((await enforced({ id: "x" })) as CallError).code, "OUTPUT_INVALID");
  assert.equal(((await enforced(undefined)) as CallError).code, "OUTPUT_INVALID");
  assert.deepEqual(
    await enforced({ id: { toJSON: () => 7 }, more: undefined }).then(JSON.stringify),
    '{"id":7}',
  );
});

test("details of an error that a local operation declares are held to their schema", async () => {
  const { lines, log } = recordingLog();
  const pay = defineOperation({
    name: "demo/pay",
    type: "mutation",
    description: "Pays.",
    errors: [
      {
        code: "DECLINED",
        description: "The card was declined.",
        schema: { type: "object", properties: { card: { type: "string" } }, required: ["card"] },
      },
    ],
    inputSchema: { type: "object", properties: { details: {} } },
    handler: ({ details }) => {
      throw new CallError("DECLINED", "Use another card.", { details });
    },
  });
  const failure = async (details: unknown, outputValidation: "off" | "warn" | "enforce") => {
    const sources = [{ source: { name: "demo" }, registrations: [pay] }];
    const { dispatch } = createRuntime({ sources, outputValidation, log });
    const error = await dispatch
      .invoke({ operation: "demo/pay", input: { details } })
      .catch((thrown: unknown) => thrown);
    return (error as CallError).toJSON();
  };
  assert.deepEqual((await failure({ card: "4242" }, "enforce")).details, { card: "4242" });
  assert.equal((await failure(undefined, "enforce")).code, "DECLINED");
  assert.deepEqual(lines, []);
  assert.equal((await failure({ card: 4242 }, "warn")).code, "DECLINED");
  assert.equal(lines[0]?.[0], "Details of an error do not fit their schema");
  const refused = await failure({ card: 4242 }, "enforce");
  assert.equal(refused.code, "OUTPUT_INVALID");
  assert.match(refused.message, /demo\/pay failed with DECLINED, whose details do not fit/);
  assert.equal((await failure({ card: 4242 }, "off")).code, "DECLINED");
});

test("an output schema that cannot be used is a warning, not a failure", async () => {
  const { lines, log } = recordingLog();
  const operation = defineOperation({
    name: "demo/endless",
    type: "query",
    description: "For a test.",
    outputSchema: { $ref: "#" },
    handler: () => 1,
  });
  const { dispatch } = createRuntime({
    sources: [{ source: { name: "test" }, registrations: [{ ...operation, provenance: "from-mcp" }] }],
    outputValidation: "enforce",
    log,
  });
  assert.equal(await dispatch.invoke({ operation: "demo/endless" }), 1);
  assert.equal(lines[0]?.[0], "An output schema cannot be used");
});

test("select takes parts of the output, null where there are none", async () => {
  const output = { id: 1, items: [{ name: "a" }, { name: "b" }] };
  assert.deepEqual(await answer({ output, select: "items[].name" }), ["a", "b"]);
  assert.equal(await answer({ output, select: "missing" }), null);
});

test("a wrong select expression is refused before the operation runs", async () => {
  let ran = false;
  const output = Object.defineProperty({}, "id", {
    enumerable: true,
    get: () => {
      ran = true;
    },
  });
  const refused = await answer({ output, select: "items[" });
  assert.ok(refused instanceof CallError);
  assert.equal(refused.code, "INVALID_INPUT");
  assert.match(refused.message, /not a valid JMESPath expression.*Nothing was called/);
  assert.equal(ran, false);
});

test("a select that fails on the output of a mutation loses nothing", async () => {
  const refused = await answer({ output: { id: 7 }, type: "mutation", select: "length(id)" });
  assert.ok(refused instanceof CallError);
  assert.match(refused.message, /has run: do not simply repeat it\. The whole output is in details/);
  assert.deepEqual((refused.details as { output: unknown }).output, { id: 7 });
});

test("an output over the limit is refused and says how select helps", async () => {
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, text: "x".repeat(20) }));
  const list = await answer({ output: rows, maxResultBytes: 300 });
  assert.ok(list instanceof CallError);
  assert.equal(list.code, "RESULT_TOO_LARGE");
  assert.match(list.message, /larger than 300 bytes\. Pass select .* for example "\[\]\.id"/);
  assert.deepEqual(list.details, {
    limitBytes: 300,
    shape: { items: 50, item: { id: "number", text: "string" } },
  });

  const record = await answer({ output: { rows, id: 1 }, maxResultBytes: 300, type: "mutation" });
  assert.ok(record instanceof CallError);
  assert.match(record.message, /has run: do not simply repeat it.*for example "rows"/);

  const blocks = await answer({
    output: { content: [{ type: "text", text: "x".repeat(400) }] },
    maxResultBytes: 300,
  });
  assert.ok(blocks instanceof CallError && blocks.message.includes('"content[0].text"'));

  const text = await answer({ output: "x".repeat(400), maxResultBytes: 300 });
  assert.ok(text instanceof CallError && text.message.includes('"@"'));
  assert.deepEqual(await answer({ output: rows, maxResultBytes: 300, select: "[0:2].id" }), [0, 1]);
  const still = await answer({ output: rows, maxResultBytes: 300, select: "[]" });
  assert.ok(still instanceof CallError && still.code === "RESULT_TOO_LARGE");
});

test("an answer that is not JSON is a fault of the handler", async () => {
  const { lines, log } = recordingLog();
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const output of [circle, 10n, () => 1]) {
    const refused = await answer({ output, log });
    assert.ok(refused instanceof CallError);
    assert.equal(refused.code, "INTERNAL");
    assert.match(refused.message, /answered with something that cannot be sent/);
  }
  assert.equal(lines.length, 3);
});
