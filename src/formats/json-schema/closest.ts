import { describeChoices } from "./describe.ts";
import type { Failure } from "./run.ts";

/** Alternatives of alternatives must not add up without end. */
const MAX_CHOICES = 100;

/**
 * Of the alternatives that a value at `path` failed, the failures of the one that was probably meant:
 * it fails inside the value, not at the value itself, and its fixed values (`kind: "circle"`) are right.
 * Undefined if there is no clear best one.
 */
export function closestFailures(alternatives: readonly Failure[][], path: string): Failure[] | undefined {
  const inside = alternatives.filter(
    (failures) => failures.length > 0 && failures.every((failure) => failure.path.length > path.length),
  );
  const meant = inside.filter((failures) => !failures.some(({ choices }) => choices));
  if (meant.length === 0 && inside.length > 1) {
    const wrongTag = commonTag(inside);
    if (wrongTag) return [wrongTag];
  }
  const [first, second] = (meant.length > 0 ? meant : inside).sort((a, b) => a.length - b.length);
  return second && first?.length === second.length ? undefined : first;
}

/** If every alternative requires a fixed value at the same place and none matches: all those values. */
function commonTag([first = [], ...others]: readonly Failure[][]): Failure | undefined {
  for (const failure of first) {
    const same = others.map((failures) =>
      failures.find(({ path, choices }) => choices && path === failure.path),
    );
    if (!failure.choices || same.includes(undefined)) continue;
    const all = [failure, ...same].flatMap((other) => other?.choices?.slice(0, MAX_CHOICES) ?? []);
    const choices = [...new Set(all)].slice(0, MAX_CHOICES);
    return { ...failure, choices, expected: () => describeChoices(choices) };
  }
  return undefined;
}
