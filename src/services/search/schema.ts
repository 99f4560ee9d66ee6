import { SERVICES } from "../../contract/index.ts";
import {
  CallError,
  defineOperation,
  findPreset,
  type JsonSchema,
  measureJson,
  normaliseName,
  type OperationSpec,
  type Registration,
  type Registry,
} from "../../core/index.ts";
import { LEFT_OUT, type SchemaDetail, shortenSchema } from "../../formats/index.ts";
import { callerOf, cutAtSentence, publicSpec, viewOf } from "./hit.ts";
import { costOf } from "./reply.ts";

/** `services/schema`: the specs of some operations, as whole as the budget of a reply lets them be. */
export function defineSchema(registry: Registry): Registration {
  return defineOperation({
    name: "services/schema",
    type: "query",
    description:
      "Shows exactly how to call operations: input and output schemas, errors, what they do. For unknown names it has the nearest ones.",
    inputSchema: SERVICES.schema.input,
    outputSchema: SERVICES.schema.output,
    handler({ name, names = [] }, context) {
      const wanted = [...new Set([...(name === undefined ? [] : [name]), ...names].map(normaliseName))];
      if (wanted.length === 0) {
        throw new CallError(
          "INVALID_INPUT",
          'Say which operation: {"name": "demo/greet"}, or several as names.',
        );
      }
      const view = viewOf(registry, context);
      const snapshot = registry.snapshot();
      const found = wanted.map((each) => ({ name: each, spec: specOf(each) }));
      const missing = found.filter(({ spec }) => !spec).map((each) => each.name);
      const specs = found.flatMap(({ spec }) => spec ?? []);
      const { operations, note } = fitSpecs(specs);
      const nearest = missing
        .map((each) => [each, view.suggest(each)] as const)
        .filter(([, suggestions]) => suggestions.length > 0);
      return {
        operations,
        ...(missing.length > 0 && { missing }),
        ...(nearest.length > 0 && { nearest: Object.fromEntries(nearest) }),
        ...(note !== undefined && { note }),
      };

      function specOf(each: string): OperationSpec | undefined {
        const preset = findPreset(snapshot, each, callerOf(context));
        if (preset) return preset.sight === "open" ? preset.spec : undefined;
        const look = view.look(each);
        return look?.sight === "open" ? look.entry.registration.spec : undefined;
      }
    },
  });
}

/** Token budget of a reply of schema. Some clients warn from 10,000 tokens, and refuse 25,000. */
const REPLY_TOKENS = 6_000;
/** Minimum budget of each operation if many are requested: with less it could not be called. */
const LEAST_SHARE = 1_500;

/** More bytes than this for each token are surely too many. */
const MOST_BYTES = 8;
/** A part with its name costs more than this. */
const LEAST_PART_TOKENS = 3;
const ALL = Number.POSITIVE_INFINITY;
/** Parts that a call does not need, such as icons, are shown up to this size. */
const MOST_REST_BYTES = 400;
/** Output schemas that are shared and not longer than this are repeated. */
const SHARED_FROM_BYTES = 200;
const MOST_ERRORS = 30;
const ERROR_DESCRIPTION = 200;
/** A spec that is this many times over its share is shown without its schemas. */
const MOST_OVER = 2;
const NEEDED: readonly string[] = ["name", "type", "description", "inputSchema", "outputSchema", "errors"];

/** A spec as it is shown. */
type ShownSpec = ReturnType<typeof publicSpec>;

/** Shown depth of a schema, and length of its descriptions. */
type Size = readonly [depth: number, description: number];

/** Output schemas are shortened before input schemas: without the input there is no call. */
const SIZES: readonly { readonly input: Size; readonly output: Size; readonly description: number }[] = [
  { input: [ALL, ALL], output: [4, 200], description: ALL },
  { input: [ALL, ALL], output: [2, 120], description: ALL },
  { input: [ALL, ALL], output: [1, 80], description: ALL },
  { input: [ALL, ALL], output: [0, 60], description: ALL },
  { input: [ALL, ALL], output: [0, 0], description: 1_000 },
  { input: [ALL, 200], output: [0, 0], description: 1_000 },
  { input: [ALL, 80], output: [0, 0], description: 600 },
  { input: [4, 80], output: [0, 0], description: 400 },
  { input: [3, 60], output: [0, 0], description: 300 },
  { input: [2, 60], output: [-1, 0], description: 200 },
  { input: [1, 0], output: [-1, 0], description: 200 },
  { input: [0, 0], output: [-1, 0], description: 100 },
];

interface Fitted {
  readonly spec: ShownSpec;
  /** Path of the first omitted part, as JMESPath on the spec. */
  readonly leftOut?: string | undefined;
  readonly shortened: boolean;
}

/** Some specs as one reply shows them. */
interface FittedSpecs {
  readonly operations: readonly ShownSpec[];
  /** Tells what was shortened, and how to read all of it. */
  readonly note?: string;
}

/** Token budget of a reply about this many operations. */
export function schemaTokens(operations: number): number {
  return Math.max(REPLY_TOKENS, operations * LEAST_SHARE);
}

/** Specs that fit a budget together: whole where they can be, else with less and less of what few callers need. */
export function fitSpecs(specs: readonly OperationSpec[]): FittedSpecs {
  const tokens = schemaTokens(specs.length);
  const shown = writtenOnce(specs).map(publicSpec);
  let left = tokens;
  let open = shown.length;
  const fitted = new Map<ShownSpec, Fitted>();
  // Whatever is small leaves the rest of its share to the others.
  for (const spec of shown) {
    const cost = costWithin(spec, tokens / shown.length);
    if (cost === undefined) continue;
    fitted.set(spec, { spec, shortened: false });
    left -= cost;
    open--;
  }
  for (const spec of shown) {
    if (!fitted.has(spec)) fitted.set(spec, fit(spec, left / open));
  }
  const all = shown.flatMap((spec) => fitted.get(spec) ?? []);
  const note = noteOn(all);
  return { operations: all.map(({ spec }) => spec), ...(note !== undefined && { note }) };
}

/** Specs in which an output schema that several share is written once: the content of MCP tools would fill the reply. */
function writtenOnce(specs: readonly OperationSpec[]): readonly OperationSpec[] {
  const first = new Map<JsonSchema, string>();
  return specs.map((spec) => {
    const { name, outputSchema } = spec;
    const owner = first.get(outputSchema);
    if (owner !== undefined) return { ...spec, outputSchema: { $comment: `the outputSchema of ${owner}` } };
    if (measureJson(outputSchema, SHARED_FROM_BYTES).over) first.set(outputSchema, name);
    return spec;
  });
}

/** Upper bound of the cost of a part, in tokens; undefined if it is over the limit. */
function costWithin(part: object, tokens: number): number | undefined {
  if (measureJson(part, tokens * MOST_BYTES).over) return undefined;
  const cost = costOf(part);
  return cost <= tokens ? cost : undefined;
}

function fit(spec: ShownSpec, tokens: number): Fitted {
  if (costWithin(spec, tokens) !== undefined) return { spec, shortened: false };
  const lean = leanOf(spec);
  if (costWithin(lean, tokens) !== undefined) return { spec: lean, shortened: true };
  let least: Fitted | undefined;
  for (const { input, output, description } of SIZES) {
    const fitted = shorten(lean, { input: detailOf(input, tokens), output: detailOf(output, tokens) });
    if (!fitted) continue;
    const shown = { ...fitted.spec, description: cutTo(description)(spec.description) };
    least = { ...fitted, spec: shown };
    if (costWithin(shown, tokens) !== undefined) return least;
  }
  if (least && costWithin(least.spec, tokens * MOST_OVER) !== undefined) return least;
  return { spec: bareOf(lean), shortened: true };
}

/** A spec without what is long and needed for no call. */
function leanOf(spec: ShownSpec): ShownSpec {
  const kept = Object.entries(spec).filter(
    ([key, value]) => NEEDED.includes(key) || !measureJson(value, MOST_REST_BYTES).over,
  );
  const errors = spec.errors.slice(0, MOST_ERRORS).map((error) => ({
    ...error,
    description: cutTo(ERROR_DESCRIPTION)(error.description),
  }));
  return { ...(Object.fromEntries(kept) as unknown as ShownSpec), errors };
}

function bareOf({ errors, ...lean }: ShownSpec): ShownSpec {
  return {
    ...lean,
    description: cutTo(ERROR_DESCRIPTION)(lean.description),
    inputSchema: true,
    outputSchema: true,
    errors: errors.map(({ schema: _, ...error }) => error),
  };
}

function detailOf([depth, description]: Size, tokens: number): SchemaDetail {
  return {
    depth,
    describe: cutTo(description),
    values: description === ALL ? ALL : Math.max(10, description),
    valueBytes: description === ALL ? tokens * MOST_BYTES : Math.max(200, 4 * description),
    maxParts: tokens / LEAST_PART_TOKENS,
  };
}

function cutTo(most: number): (text: string) => string {
  if (most === ALL) return (text) => text;
  if (most === 0) return () => "";
  return (text) => (text.length <= most ? text : cutAtSentence(text, most));
}

function shorten(
  spec: ShownSpec,
  { input, output }: { readonly input: SchemaDetail; readonly output: SchemaDetail },
): Fitted | undefined {
  const inputSchema = shortenSchema(spec.inputSchema, input);
  const outputSchema = shortenSchema(spec.outputSchema, output);
  if (!inputSchema || !outputSchema) return undefined;
  const within = (key: string, path: string | undefined) =>
    path === undefined ? undefined : path === "" ? key : `${key}.${path}`;
  return {
    spec: {
      ...spec,
      inputSchema: inputSchema.schema,
      outputSchema: outputSchema.schema,
      errors: spec.errors.map(({ schema, ...error }) => {
        const short = schema === undefined ? undefined : shortenSchema(schema, output)?.schema;
        return short === undefined ? error : { ...error, schema: short as JsonSchema };
      }),
    },
    leftOut: within("inputSchema", inputSchema.leftOut) ?? within("outputSchema", outputSchema.leftOut),
    shortened: true,
  };
}

/** All of it is to be had from `services/list`, part by part where it is too large for one answer. */
function noteOn(all: readonly Fitted[]): string | undefined {
  const shortened = all.filter((each) => each.shortened);
  const [first] = shortened;
  if (!first) return undefined;
  const names = shortened.map(({ spec }) => spec.name);
  const example = shortened.find(({ leftOut }) => leftOut !== undefined) ?? first;
  const list = JSON.stringify({ names: [example.spec.name], full: true });
  const what =
    example.leftOut === undefined
      ? "Long texts and lists are shortened or left out in"
      : `Parts with the $comment "${LEFT_OUT}" are shortened in`;
  const select = `operations[0].${example.leftOut ?? "inputSchema"}`;
  return `${what} ${names.join(", ")}. To read one, call services/list with ${list} and a select such as ${select}`;
}
