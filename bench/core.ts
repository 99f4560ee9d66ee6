import {
  createRuntime,
  createSchemaValidator,
  defineOperation,
  definePlugin,
  Registry,
  type SchemaValidator,
} from "../src/core.ts";
import type { Bench, ByColumn } from "./support/bench.ts";
import { costFigures, difference, overheadFigures, perSecond, rateFigure } from "./support/figures.ts";
import { awaiting, immediate, median, type Subject, sideBySide } from "./support/measure.ts";
import { makeOperations, type Sample } from "./support/operations.ts";
import { unknownNameFigures } from "./unknown-names.ts";

const SIZES = [1, 100, 10_000] as const;
const BATCH = 2_000;

const INPUT = { id: "a-1" };
const INPUT_SCHEMA = {
  type: "object",
  properties: { id: { type: "string" } },
  required: ["id"],
  additionalProperties: false,
} as const;

const find = ({ id }: { readonly id: string }) => ({ id, found: true });

const lookup = defineOperation({
  name: "bench/lookup",
  type: "query",
  description: "Finds one thing.",
  inputSchema: INPUT_SCHEMA,
  handler: find,
});

const relay = defineOperation({
  name: "bench/relay",
  type: "query",
  description: "Has another operation find one thing.",
  inputSchema: INPUT_SCHEMA,
  composes: ["bench/lookup"],
  handler: (input, { env }) => env.invoke("bench/lookup", input),
});

/** Cost of a call in the core. */
export const core: Bench = {
  name: "core",
  title: `registry, dispatch and validator, by registered operations (over batches of ${BATCH} calls)`,

  async run() {
    const registrations = registrationsPerSecond();
    const one = await sideBySide(await atSizes(callsOfOne), { calls: BATCH, rounds: 30, warmUp: 10_000 });
    const all = await sideBySide(await atSizes(callsOfAll), { calls: BATCH, rounds: 5, warmUp: 10_000 });
    return [
      rateFigure("Registry.apply", { unit: "operations/s", headline: true }, registrations),
      ...costFigures("handler called directly", one.handler),
      ...overheadFigures("dispatch.invoke", one.invoke, one.handler),
      ...overheadFigures("entrance.call", one.entrance, one.handler),
      ...costFigures("composed dispatch.invoke", one.composed),
      ...costFigures("composed dispatch.invoke: added level", difference(one.composed, one.invoke), {
        headline: true,
      }),
      ...costFigures("dispatch.invoke of all in turn", all.invoke, { headline: true }),
      rateFigure(
        "validator.check of all in turn",
        { unit: "values/s", headline: true },
        perSecond(all.check),
      ),
      rateFigure("validator.check with room for all", { unit: "values/s" }, perSecond(all.checkWithRoom)),
      ...(await unknownNameFigures()),
    ];
  },
};

/** One and the same operation, among others that have all been called before. */
async function callsOfOne(samples: readonly Sample[]) {
  const { dispatch, gateway } = runtimeOf(samples);
  const entrance = await gateway.enter();
  for (const call of samples.map(toCall)) await dispatch.invoke(call);
  return {
    handler: awaiting(() => find(INPUT)),
    invoke: awaiting(() => dispatch.invoke({ operation: "bench/lookup", input: INPUT })),
    entrance: awaiting(() => entrance.call({ operation: "bench/lookup", input: INPUT })),
    composed: awaiting(() => dispatch.invoke({ operation: "bench/relay", input: INPUT })),
  };
}

/** One operation after the other, so that nothing is at hand because it was just used. */
function callsOfAll(samples: readonly Sample[]) {
  const { dispatch } = runtimeOf(samples);
  const calls = samples.map(toCall);
  return {
    invoke: awaiting((number) => dispatch.invoke(inTurn(calls, number))),
    check: checking(samples, createSchemaValidator()),
    checkWithRoom: checking(samples, createSchemaValidator({ cacheSize: samples.length })),
  };
}

/** Everything but the making of the definitions. */
function registrationsPerSecond(): ByColumn<number> {
  const rates = new Map(SIZES.map((size): [number, number[]] => [size, []]));
  for (let round = 0; round < 7; round++) {
    for (const [size, seen] of rates) {
      const times = Math.ceil(BATCH / size);
      // Frozen definitions are not frozen again, so each round needs its own.
      const sets = Array.from({ length: times }, () => setOf(makeOperations(size)));
      const start = performance.now();
      for (const set of sets) new Registry().apply({ replace: [set] });
      seen.push((times * size * 1000) / (performance.now() - start));
    }
  }
  return Object.fromEntries([...rates].map(([size, seen]) => [columnOf(size), median(seen)]));
}

async function atSizes<Subjects>(
  subjectsOf: (samples: readonly Sample[]) => Subjects | Promise<Subjects>,
): Promise<ByColumn<Subjects>> {
  const columns: Record<string, Subjects> = {};
  for (const size of SIZES) columns[columnOf(size)] = await subjectsOf(makeOperations(size));
  return columns;
}

function checking(samples: readonly Sample[], validator: SchemaValidator): Subject {
  return immediate((number) => {
    const { registration, input } = inTurn(samples, number);
    const [problem] = validator.check(registration.spec.inputSchema, input);
    if (problem) throw new Error(`An input that should fit does not: ${JSON.stringify(problem)}`);
  });
}

function runtimeOf(samples: readonly Sample[]) {
  return createRuntime({
    sources: [setOf(samples), definePlugin({ name: "bench", operations: [lookup, relay] })],
  });
}

function setOf(samples: readonly Sample[]) {
  return definePlugin({ name: "samples", operations: samples.map(({ registration }) => registration) });
}

function toCall({ registration, input }: Sample) {
  return { operation: registration.spec.name, input };
}

function inTurn<Item>(items: readonly Item[], number: number): Item {
  return items[number % items.length] as Item;
}

function columnOf(size: number): string {
  return size.toLocaleString("en");
}
