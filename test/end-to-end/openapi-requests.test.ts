import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { OpenAPIBackend } from "openapi-backend";
import {
  atFragment,
  createSchemaValidator,
  isRecord,
  type JsonSchema,
  type UnknownRecord,
} from "pinhole/core";
import { headersOf, toRequest, urlOf } from "../../src/adapters/from-openapi/request.ts";
import { type ApiOperation, readDocument } from "../../src/formats/index.ts";
import { generateInputs, generateValue, seededRandom } from "../support/generate-input.ts";
import { exampleDocuments, PARAMETERS, type SampleDocument } from "../support/openapi-documents.ts";
import { scaled } from "../support/scale.ts";

const INPUTS = 20;
/** All operations take some 20 s; otherwise some of each document. */
const MOST_OPERATIONS = scaled(12, Number.POSITIVE_INFINITY);
const LENIENT = {
  strict: false,
  validateFormats: false,
  unicodeRegExp: false,
  addUsedSchema: false,
  logger: false,
} as const;
/** Operations that have fewer inputs than it looks, each with the number of them and the reason. */
const FEWER_INPUTS: readonly [pattern: RegExp, inputs: number, reason: string][] = [
  [/^3\.\d schema-types quirks_(?:entirely|partiallyUsable)IncompatibleAllOf$/, 0, "a text is no number"],
  [
    /^3\.0 circular-request-bodies directCircular$/,
    1,
    "each node needs a parent, so that only no body is finite",
  ],
  [/^3\.0 polymorphism post_anything_nested_one_of_ref$/, 1, "no text fits only one of two like schemas"],
];

/**
 * Operations that the third party cannot judge, each with its reason. Our own tests of requests hold these styles
 * against the tables of the specification.
 */
const NOT_JUDGED: readonly [pattern: RegExp, reason: string][] = [
  [
    /^3\.1 readme (?:create|update)Guide$/,
    "it takes an enum without null by the letter where nullable says that null is meant",
  ],
  [/^3\.\d parameters-style /, "it reads lists and objects in no place but the query"],
  [/^3\.0 circular-paths /, "it cannot follow references between paths"],
  [/^3\.0 server-path-level get_path_item_ref_server$/, "it cannot follow references between paths"],
  [
    /^3\.0 schema-circular put_circular$/,
    "it requires the header Authorization, which a document may not declare",
  ],
];

test("every document of the sample comes in whole, and every input schema compiles", () => {
  const validator = createSchemaValidator();
  const ajv = new Ajv2020(LENIENT);
  let operations = 0;
  for (const { name, root } of [PARAMETERS, ...exampleDocuments()]) {
    const read = readDocument({ root });
    assert.deepEqual(
      read.warnings.filter(({ leftOut }) => leftOut),
      [],
      name,
    );
    for (const { inputSchema } of read.operations) {
      operations++;
      validator.check(inputSchema, generateValue(inputSchema, inputSchema, { random: seededRandom(1) }));
    }
    // Ours compiles what a value reaches; a third party compiles everything at once.
    for (const { name: operation, inputSchema } of someOf(read.operations, MOST_OPERATIONS))
      assert.doesNotThrow(() => ajv.compile(inputSchema as object), `${name} ${operation}`);
  }
  assert.ok(operations > 600, `${operations} operations`);
});

test("every operation has 20 different inputs, if its schema allows so many, and each becomes a request", () => {
  const short: string[] = [];
  let requests = 0;
  for (const document of [PARAMETERS, ...exampleDocuments()]) {
    for (const operation of readDocument(document).operations) {
      const name = `${document.name} ${operation.name}`;
      const inputs = inputsOf(operation);
      const wanted = inputsWanted(name, operation.inputSchema);
      if (inputs.length !== wanted) short.push(`${name}: ${inputs.length} of ${wanted}`);
      for (const input of inputs) assert.doesNotThrow(() => requestFor(operation, input), name);
      requests += inputs.length;
    }
  }
  assert.deepEqual(short, []);
  assert.ok(requests > 9_000, `${requests} requests`);
});

test("inputs that a schema accepts become requests that a third party accepts", async () => {
  const refused: string[] = [];
  const counts = { operations: 0, requests: 0, notJudged: 0 };
  for (const document of [PARAMETERS, ...exampleDocuments("3.0"), ...exampleDocuments("3.1")]) {
    const nameOf = (operation: ApiOperation) => `${document.name} ${operation.name}`;
    const isJudged = (operation: ApiOperation) =>
      !NOT_JUDGED.some(([pattern]) => pattern.test(nameOf(operation)));
    const operations = someOf(readDocument(document).operations.filter(isJudged), MOST_OPERATIONS);
    if (operations.length === 0) continue;
    const judge = await judgeOf(document);
    for (const operation of operations) {
      counts.operations++;
      for (const input of inputsOf(operation)) {
        const verdict = judge(operation, input);
        if (verdict === undefined) counts.notJudged++;
        else counts.requests++;
        if (verdict) refused.push(`${nameOf(operation)}: ${verdict} for ${JSON.stringify(input)}`);
      }
    }
  }
  assert.deepEqual(refused.slice(0, 5), []);
  assert.ok(counts.requests > 2_500, JSON.stringify(counts));
  assert.ok(counts.notJudged / counts.requests < 0.08, JSON.stringify(counts));
});

/** Evenly out of all. */
function someOf<Item>(items: readonly Item[], most: number): readonly Item[] {
  const step = Math.max(1, items.length / most);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** The same ones whenever they are asked for. */
function inputsOf({ inputSchema }: ApiOperation): readonly unknown[] {
  const validator = createSchemaValidator();
  const accepts = (input: unknown) => validator.check(inputSchema, input).length === 0;
  return generateInputs(inputSchema, INPUTS, { accepts, random: seededRandom(7) });
}

/** An operation without parameters has one input, and one that takes a flag has two or three. */
function inputsWanted(name: string, inputSchema: ApiOperation["inputSchema"]): number {
  const [, fewer] = FEWER_INPUTS.find(([pattern]) => pattern.test(name)) ?? [];
  return Math.min(INPUTS, fewer ?? mostValues(inputSchema, inputSchema));
}

/** What the third party has against a request: nothing (""), something, or no opinion (undefined). */
type Judge = (operation: ApiOperation, input: unknown) => string | undefined;

async function judgeOf({ root }: SampleDocument): Promise<Judge> {
  const definition = withIds(root);
  const backend = new OpenAPIBackend({
    definition: definition as never,
    quick: true,
    coerceTypes: true,
    // It would compile the schema of schemas anew for each operation, which takes most of the time.
    ajvOpts: { strict: false, logger: false, validateSchema: false },
  });
  await backend.init();
  return (operation, input) => {
    const request = requestFor(operation, input);
    try {
      const { valid, errors } = backend.validator.validateRequest(
        request,
        idOf(operation.method, operation.path),
      );
      return valid
        ? ""
        : (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ");
    } catch {
      // It cannot compile a schema in circles, nor what is out of its dialect.
      return undefined;
    }
  };
}

function requestFor(operation: ApiOperation, input: unknown) {
  const parts = toRequest(operation, input, { server: "http://api.invalid", headers: {} });
  const url = new URL(urlOf(parts));
  const isJson = operation.body?.kind === "json";
  const given = isRecord(input) ? input.body : undefined;
  return {
    method: operation.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: { ...headersOf(parts) },
    // What is no JSON it takes as its reader made it: an object for a form.
    ...(parts.body && { body: isJson ? String(parts.body.content) : given }),
  };
}

/** It finds operations by their ids only. */
function withIds(root: UnknownRecord): UnknownRecord {
  const copy = byDiscriminators(structuredClone(root)) as Record<string, unknown>;
  for (const [path, item] of Object.entries(isRecord(copy.paths) ? copy.paths : {})) {
    for (const [method, operation] of Object.entries(isRecord(item) ? item : {}))
      if (isRecord(operation)) Object.assign(operation, { operationId: idOf(method, path) });
  }
  return copy;
}

/** It takes `oneOf` by the letter where a discriminator says which part is meant, and then often nothing fits. */
function byDiscriminators(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(byDiscriminators);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, byDiscriminators(part)] as const);
  const isUnion = isRecord(value.discriminator) && Array.isArray(value.oneOf);
  return Object.fromEntries(entries.map(([key, part]) => [isUnion && key === "oneOf" ? "anyOf" : key, part]));
}

function idOf(method: string, path: string): string {
  return `${method.toLowerCase()} ${path}`;
}

const MAX_DEPTH = 10;

/** How many different values a schema accepts at most, as far as a short look tells: infinitely many if in doubt. */
function mostValues(schema: JsonSchema, root: JsonSchema, depth = 0): number {
  if (schema === false) return 0;
  if (schema === true || depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  const of = (part: unknown) => mostValues(part as JsonSchema, root, depth + 1);
  const { $ref, allOf, anyOf, oneOf } = schema;
  const bounds = [ownValues(schema, of)];
  if (typeof $ref === "string") bounds.push(of(atFragment(root, $ref)));
  if (Array.isArray(allOf)) bounds.push(...allOf.map(of));
  for (const choices of [anyOf, oneOf]) {
    if (Array.isArray(choices)) bounds.push(choices.map(of).reduce((sum, each) => sum + each, 0));
  }
  return Math.min(...bounds);
}

function ownValues(schema: UnknownRecord, of: (part: unknown) => number): number {
  if ("const" in schema) return 1;
  if (Array.isArray(schema.enum)) return schema.enum.length;
  switch (schema.type) {
    case "boolean":
      return 2;
    case "null":
      return 1;
    case "integer":
    case "number":
      return numbersIn(schema);
    case "object":
      return schema.additionalProperties === false ? objectsOf(schema, of) : Number.POSITIVE_INFINITY;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function numbersIn({
  type,
  multipleOf,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
}: UnknownRecord) {
  const step = Number(multipleOf ?? (type === "integer" ? 1 : 0));
  const low = Number(minimum ?? exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const high = Number(maximum ?? exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  const isOut = (value: number, bound: unknown) => bound !== undefined && value * step === Number(bound);
  const lost = [isOut(first, exclusiveMinimum), isOut(last, exclusiveMaximum)].filter(Boolean).length;
  return step === 0 ? Number.POSITIVE_INFINITY : Math.max(0, last - first + 1 - lost);
}

function objectsOf({ properties, required }: UnknownRecord, of: (part: unknown) => number): number {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isRecord(properties) ? properties : {})
    .map(([name, part]) => of(part) + (names.includes(name) ? 0 : 1))
    .reduce((product, each) => product * each, 1);
}
