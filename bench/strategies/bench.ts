import type { Bench, ByColumn, Figure } from "../support/bench.ts";
import { categories } from "./categories.ts";
import { direct } from "./direct.ts";
import { filtered } from "./filtered.ts";
import { gateway } from "./gateway.ts";
import type { Measured } from "./measure.ts";
import { DEFAULT_DATA, measureAll, missingData } from "./run.ts";

/** The figures of `npm run bench:strategies` that are ratios of the gateway to the others. */
export const strategies: Bench = {
  name: "strategies",
  title: "ways to show tools to a model, by number of tools (npm run bench:strategies has the whole of it)",
  skip() {
    const missing = missingData(DEFAULT_DATA);
    return missing.length > 0 ? `there is no ${missing.join(" and no ")} in ${DEFAULT_DATA}` : undefined;
  },
  run: async () => toFigures(await measureAll(DEFAULT_DATA)),
};

/** The gateway against each of the others: what a task costs, and how often its tool is seen. */
export function toFigures(measured: readonly Measured[]): readonly Figure[] {
  const others = [direct, filtered, categories].map(({ name }) => name);
  const tokens = ({ menuTokens, discoveryTokens }: Measured) => menuTokens + discoveryTokens;
  const seen = (each: Measured) => each.seen;
  const all = [...others, gateway.name];
  return [
    ...all.map((name) => ({
      measure: `${name}: menu and discovery`,
      unit: "tokens a task",
      values: columns(name, tokens),
    })),
    ...all.map((name) => ({
      measure: `${name}: right tool seen`,
      unit: "% of tasks",
      values: columns(name, seen),
    })),
    ...others.map((name) => compare(`tokens a task, against ${name}`, "tokens", [name, tokens])),
    ...others.map((name) => compare(`right tool seen, against ${name}`, "% of tasks", [name, seen])),
  ];

  function compare(measure: string, unit: string, of: readonly [name: string, value: typeof seen]): Figure {
    const [name, value] = of;
    const own = columns(gateway.name, value);
    const baseline = columns(name, value);
    const ratios = Object.entries(own).map(([column, each]) => [
      column,
      each / (baseline[column] ?? Number.NaN),
    ]);
    return {
      measure,
      unit: `times ${unit}`,
      values: Object.fromEntries(ratios),
      headline: true,
      compared: { unit, measured: own, baseline },
    };
  }

  function columns(name: string, value: (each: Measured) => number): ByColumn<number> {
    const own = measured.filter(({ strategy }) => strategy === name);
    return Object.fromEntries(own.map((each) => [each.tools.toLocaleString("en"), value(each)]));
  }
}
