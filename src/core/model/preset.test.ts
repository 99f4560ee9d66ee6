import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createSchemaValidator } from "../../formats/index.ts";
import { completeSpec, type OperationSpec } from "./operation.ts";
import { type Preset, pathOfCaller, problemsOfPreset, rewritePreset, specOfPreset } from "./preset.ts";

const validator = createSchemaValidator();

const CREATE: OperationSpec = completeSpec({
  name: "github/issues_create",
  type: "mutation",
  description: "Opens an issue.",
  inputSchema: {
    type: "object",
    properties: {
      title: { type: "string" },
      body: { $ref: "#/$defs/text" },
      labels: { type: "array", items: { type: "string" } },
      assignee: { type: "string" },
    },
    required: ["title", "labels"],
    $defs: { text: { type: "string" } },
  },
});

const BUGS: Preset = {
  name: "bugs/create",
  operation: CREATE.name,
  description: "Reports a bug.",
  input: { labels: ["bug"] },
  pick: ["title", "body"],
  rename: { text: "body" },
};

test("a preset shows the picked and renamed arguments of its operation, without those that are fixed", () => {
  const { name, namespace, description, type, inputSchema } = specOfPreset(BUGS, CREATE);
  assert.deepEqual(
    [name, namespace, description, type],
    ["bugs/create", "bugs", "Reports a bug.", "mutation"],
  );
  assert.deepEqual(inputSchema, {
    type: "object",
    properties: { title: { type: "string" }, text: { $ref: "#/$defs/text" } },
    required: ["title"],
    additionalProperties: false,
    $defs: { text: { type: "string" } },
  });
  assert.deepEqual([...problemsOfPreset(BUGS, CREATE, validator)], []);
});

test("a preset without pick takes all arguments that are not fixed", () => {
  const { inputSchema } = specOfPreset({ ...BUGS, pick: undefined, rename: {} }, CREATE);
  assert.deepEqual(Object.keys(Object(inputSchema).properties), ["title", "body", "assignee"]);
});

test("the input of a preset becomes the input of its operation, with what is fixed", () => {
  assert.deepEqual(rewritePreset(BUGS, { title: "t", text: "b" }), {
    input: { title: "t", body: "b", labels: ["bug"] },
  });
  const put: Preset = {
    name: "reminder/add",
    operation: "store/put",
    input: { kind: "reminder" },
    into: "record",
  };
  assert.deepEqual(rewritePreset(put, { text: "milk" }), {
    input: { kind: "reminder", record: { text: "milk" } },
  });
  const own: Preset = { ...put, input: { kind: "reminder", record: { done: false } } };
  assert.deepEqual(rewritePreset(own, { text: "milk" }), {
    input: { kind: "reminder", record: { text: "milk", done: false } },
  });
  assert.ok("problems" in rewritePreset(own, { done: true }));
});

test("what a preset does not take is refused by the caller's own names", () => {
  for (const name of ["labels", "body", "assignee", "nonsense", "__proto__", "constructor"]) {
    const given = JSON.parse(`{"title": "t", ${JSON.stringify(name)}: 1}`) as object;
    const rewritten = rewritePreset(BUGS, given);
    assert.ok("problems" in rewritten, name);
    assert.deepEqual(
      rewritten.problems.map(({ path }) => path),
      [`/${name}`],
    );
  }
  assert.ok("problems" in rewritePreset(BUGS, ["title"]));
});

test("places in the input of the operation are told as places in the caller's input", () => {
  assert.equal(pathOfCaller(BUGS, "/body/0"), "/text/0");
  assert.equal(pathOfCaller(BUGS, "/title"), "/title");
  assert.equal(pathOfCaller(BUGS, ""), "");
  assert.equal(pathOfCaller({ ...BUGS, into: "record" }, "/record/body"), "/text");
  assert.equal(pathOfCaller({ ...BUGS, into: "record" }, "/record"), "");
});

test("presets that do not fit their operation say why", () => {
  const problem = (preset: Partial<Preset>) =>
    [...problemsOfPreset({ ...BUGS, ...preset }, CREATE, validator)][0];
  const name = CREATE.name;
  assert.equal(problem({ pick: ["titel"], rename: {} }), `${name} has no argument titel to pick`);
  assert.equal(problem({ rename: { text: "boddy" } }), `${name} has no argument boddy to rename to text`);
  assert.equal(problem({ input: { label: 1 } }), `${name} has no argument label, which "input" fixes`);
  assert.equal(
    problem({ input: { labels: "bug" } }),
    `the fixed labels does not fit ${name}: expected array of string, got "bug"`,
  );
  assert.equal(problem({ pick: ["body"] }), `${name} requires title, which is neither fixed nor picked`);
  assert.equal(problem({ input: {} }), `${name} requires labels, which is neither fixed nor picked`);
  assert.equal(
    problem({ input: { labels: ["bug"] }, into: "labels" }),
    '"input" fixes labels, which "into" fills with what callers give',
  );
  assert.equal(problem({ into: "record" }), `${name} has no argument record for "into"`);
});

const key = fc.constantFrom("a", "b", "c", "d", "__proto__", "toString");
const presets: fc.Arbitrary<Preset> = fc.record({
  name: fc.constant("p/q"),
  operation: fc.constant("x/y"),
  input: fc.dictionary(key, fc.jsonValue(), { maxKeys: 3 }),
  pick: fc.option(fc.uniqueArray(key), { nil: undefined }),
  rename: fc.dictionary(fc.constantFrom("n", "m", "a"), key, { maxKeys: 2 }),
  into: fc.option(fc.constantFrom("a", "box"), { nil: undefined }),
});

test("for any preset and input: fixed arguments win, and nothing reaches the operation that is not picked", () => {
  fc.assert(
    fc.property(
      presets,
      fc.dictionary(fc.oneof(key, fc.constantFrom("n", "m")), fc.jsonValue()),
      (preset, given) => {
        const rewritten = rewritePreset(preset, given);
        if ("problems" in rewritten) {
          assert.ok(rewritten.problems.every(({ path }) => Object.hasOwn(given, path.slice(1))));
          return;
        }
        const { input = {}, into, pick, rename = {} } = preset;
        const inner =
          into === undefined ? rewritten.input : (rewritten.input[into] as Record<string, unknown>);
        const beside = into === undefined ? input : input[into];
        // A preset that fixes the argument which it fills does not work with any operation.
        const fixed = typeof beside === "object" && beside !== null && !Array.isArray(beside) ? beside : {};
        for (const [name, value] of Object.entries(input))
          if (name !== into) assert.deepEqual(rewritten.input[name], value);
        const reached = new Map(Object.entries(inner));
        for (const [name, value] of Object.entries(fixed)) assert.deepEqual(reached.get(name), value);
        for (const name of Object.keys(inner)) {
          const isFixed = Object.hasOwn(fixed, name);
          assert.ok(isFixed || pick === undefined || pick.includes(name), name);
        }
        const olds = Object.values(rename);
        for (const name of Object.keys(given))
          assert.ok(Object.hasOwn(rename, name) || !olds.includes(name), name);
      },
    ),
    { numRuns: 500 },
  );
});
