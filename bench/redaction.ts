import { createRedactor } from "../src/core.ts";
import type { Bench, ByColumn } from "./support/bench.ts";
import { immediate, type Subject, sideBySide } from "./support/measure.ts";

const BYTES = 1_048_576;
const SECRET = "s3cr3t-value-0123456789";
const SENTENCE = "What a record says about itself, in words that are long enough to be read.";

/** Answers of 1 MB, as sources give them. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  records: filled((number) => ({ id: number, title: `Record ${number}`, text: SENTENCE })),
  numbers: filled((number) => ({ x: number, y: number / 7 })),
  "one text": SENTENCE.repeat(Math.ceil(BYTES / SENTENCE.length)),
  "an echo in each record": filled((number) => ({ id: number, text: `${SENTENCE} Bearer ${SECRET}` })),
};

/** Cost of redacting secrets in an answer. */
export const redaction: Bench = {
  name: "redaction",
  title: "an answer of 1 MB without the secrets of its call, compared with parsing the same answer",

  async run() {
    const few = createRedactor([SECRET, "name:and-a-password"]);
    const many = createRedactor(Array.from({ length: 1_000 }, (_, number) => `token-${number * 7_919}-x`));
    const columns: Record<string, Readonly<Record<"parse" | "few" | "many", Subject>>> = {};
    for (const [column, answer] of Object.entries(ANSWERS)) {
      const json = JSON.stringify(answer);
      columns[column] = {
        parse: immediate(() => JSON.parse(json)),
        few: immediate(() => few.value(answer)),
        many: immediate(() => many.value(answer)),
      };
    }
    const timings = await sideBySide(columns, { calls: 2, rounds: 25, warmUp: 10 });
    const milliseconds = (name: keyof typeof timings): ByColumn<number> =>
      Object.fromEntries(Object.entries(timings[name]).map(([column, { p50 }]) => [column, p50 / 1_000]));
    const ratio = (name: keyof typeof timings): ByColumn<number> =>
      Object.fromEntries(
        Object.entries(timings[name]).map(([column, { p50 }]) => [
          column,
          p50 / (timings.parse[column]?.p50 ?? Number.NaN),
        ]),
      );
    return (["few", "many"] as const).map((name) => ({
      measure: `redact, ${name === "few" ? "2 secrets" : "1,000 secrets"}: ratio to JSON.parse`,
      unit: "times p50",
      values: ratio(name),
      headline: true,
      compared: { unit: "ms p50", measured: milliseconds(name), baseline: milliseconds("parse") },
    }));
  },
};

function filled(recordOf: (number: number) => unknown): readonly unknown[] {
  const size = JSON.stringify(recordOf(10_000)).length + 1;
  return Array.from({ length: Math.ceil(BYTES / size) }, (_, number) => recordOf(number));
}
