import type { Figure, Target } from "./bench.ts";

/** One line of the summary over all benches. */
export interface Result {
  /** The bench that it comes from. */
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  /** The column that the numbers are of. */
  readonly at: string;
  readonly measured: number;
  readonly baseline?: number;
  readonly ratio?: number;
  readonly target?: string;
  readonly ok?: boolean;
}

/**
 * The headlines of a bench for the record: each one, against what it was compared with. A figure that was compared with
 * nothing but has a flatness is held against its own first column.
 */
export function toResults(name: string, figures: readonly Figure[]): readonly Result[] {
  return figures.filter(({ headline }) => headline).map((figure) => toResult(name, figure));
}

function toResult(name: string, figure: Figure): Result {
  const { measure, unit, values, target } = figure;
  const at = target?.column ?? Object.keys(values).at(-1) ?? "";
  const value = values[at] ?? Number.NaN;
  const ratio = figure.compared || unit.startsWith("times") ? value : figure.flatness;
  const [firstColumn, first] = Object.entries(values)[0] ?? [];
  const numbers = figure.compared
    ? { unit: figure.compared.unit, measured: figure.compared.measured[at] ?? Number.NaN }
    : { unit, measured: value };
  const baseline = figure.compared
    ? figure.compared.baseline[at]
    : figure.flatness === undefined
      ? undefined
      : first;
  return {
    name,
    what: figure.compared || baseline === undefined ? measure : `${measure}, against ${firstColumn}`,
    at,
    ...numbers,
    ...(baseline !== undefined && { baseline }),
    ...(ratio !== undefined && { ratio }),
    ...(target && { target: targetText(target), ok: isReached(target, ratio ?? value) }),
  };
}

function isReached(
  { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }: Target,
  value: number,
) {
  return value <= atMost && value >= atLeast;
}

function targetText({ atMost, atLeast }: Target): string {
  return [atLeast !== undefined && `≥ ${atLeast}`, atMost !== undefined && `≤ ${atMost}`]
    .filter(Boolean)
    .join(", ");
}
