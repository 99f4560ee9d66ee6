import type { Figure } from "./bench.ts";
import type { Result } from "./results.ts";

/** The figures of one bench as a table for people. */
export function toTable(figures: readonly Figure[]): string {
  const columns = [...new Set(figures.flatMap(({ values }) => Object.keys(values)))];
  const rows = figures.map(({ measure, unit, values, flatness }) => [
    measure,
    unit,
    ...columns.map((column) => formatNumber(values[column])),
    formatNumber(flatness),
  ]);
  return alignColumns([["", "", ...columns, "flatness"], ...rows]);
}

/** The headlines of all benches as one table. */
export function toSummary(results: readonly Result[]): string {
  const rows = results.map(({ name, what, unit, at, measured, baseline, ratio, target = "", ok }) => [
    name,
    `${what}, ${unit.replace("times ", "")}`,
    at,
    formatNumber(measured),
    formatNumber(baseline),
    formatNumber(ratio),
    target,
    ok === undefined ? "" : ok ? "reached" : "MISSED",
  ]);
  return alignColumns([["bench", "what", "at", "measured", "baseline", "ratio", "target", ""], ...rows]);
}

/** Texts to the left, everything from the third column on to the right. */
function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => `  ${row.map(align).join("  ")}`.trimEnd()).join("\n");
}

/** Three digits that matter. */
function formatNumber(value: number | undefined): string {
  if (value === undefined) return "";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toLocaleString("en", {
    minimumFractionDigits: Math.min(digits, 3),
    maximumFractionDigits: Math.min(digits, 3),
  });
}
