import type { ByColumn, Figure } from "./bench.ts";
import type { Timing } from "./measure.ts";

type Extra = Pick<Figure, "headline" | "target">;

/** A call may not cost more because more operations are registered; the rest is what a busy machine adds. */
const FLAT: Extra = { headline: true, target: { atMost: 1.25 } };

/** Cost of a call, as two rows. */
export function costFigures(measure: string, timings: ByColumn<Timing>, extra: Extra = {}): Figure[] {
  const p50 = mapColumns(timings, (timing) => timing.p50);
  const mean = mapColumns(timings, (timing) => timing.mean);
  return [
    { measure, unit: "µs p50", values: p50, flatness: lastToFirst(p50), ...extra },
    { measure, unit: "µs mean", values: mean, flatness: lastToFirst(mean) },
  ];
}

/** Cost of a call, with and without its handler. */
export function overheadFigures(
  measure: string,
  timings: ByColumn<Timing>,
  handler: ByColumn<Timing>,
): Figure[] {
  const ratios = mapColumns(timings, ({ p50 }, column) => p50 / (handler[column]?.p50 ?? Number.NaN));
  const p50 = (of: ByColumn<Timing>) => mapColumns(of, (timing) => timing.p50);
  return [
    ...costFigures(measure, timings, FLAT),
    ...costFigures(`${measure}: overhead`, difference(timings, handler)),
    {
      measure: `${measure}: ratio to the handler`,
      unit: "times p50",
      values: ratios,
      headline: true,
      compared: { unit: "µs p50", measured: p50(timings), baseline: p50(handler) },
    },
  ];
}

/** Throughput per second. */
export function rateFigure(
  measure: string,
  { unit, ...extra }: Extra & { readonly unit: string },
  rates: ByColumn<number>,
): Figure {
  return { measure, unit, values: rates, flatness: 1 / lastToFirst(rates), ...extra };
}

/** Calls per second at the median cost. */
export function perSecond(timings: ByColumn<Timing>): ByColumn<number> {
  return mapColumns(timings, ({ p50 }) => 1_000_000 / p50);
}

/** Difference in cost between two things. */
export function difference(timings: ByColumn<Timing>, from: ByColumn<Timing>): ByColumn<Timing> {
  return mapColumns(timings, ({ p50, mean }, column) => ({
    p50: p50 - (from[column]?.p50 ?? Number.NaN),
    mean: mean - (from[column]?.mean ?? Number.NaN),
  }));
}

function mapColumns<From, To>(
  columns: ByColumn<From>,
  change: (value: From, column: string) => To,
): ByColumn<To> {
  return Object.fromEntries(
    Object.entries(columns).map(([column, value]) => [column, change(value, column)]),
  );
}

function lastToFirst(columns: ByColumn<number>): number {
  const numbers = Object.values(columns);
  return (numbers.at(-1) ?? Number.NaN) / (numbers[0] ?? Number.NaN);
}
