import type { OperationSpec } from "../core/index.ts";

/**
 * Operations by how many words of the query they contain, a word in the name counting double; those
 * that are deprecated come after the others.
 */
export function matchWords(query: string, specs: readonly OperationSpec[]): readonly OperationSpec[] {
  const words = wordsOf(query);
  return specs
    .map((spec) => ({ spec, score: scoreOf(spec, words) }))
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        Number(a.spec.deprecated !== undefined) - Number(b.spec.deprecated !== undefined) ||
        b.score - a.score ||
        (a.spec.name < b.spec.name ? -1 : 1),
    )
    .map(({ spec }) => spec);
}

function scoreOf(spec: OperationSpec, words: readonly string[]): number {
  const inName = new Set(wordsOf([spec.name, ...(spec.aliases ?? []), spec.title ?? ""].join(" ")));
  const inText = new Set(wordsOf([spec.description, ...(spec.tags ?? [])].join(" ")));
  let score = 0;
  for (const word of words) score += inName.has(word) ? 2 : inText.has(word) ? 1 : 0;
  return score;
}

/** `createIssue` and `create_issue` are two words each; words of one letter say nothing. */
function wordsOf(text: string): readonly string[] {
  const split = text.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").toLowerCase();
  return [...new Set(split.match(/[\p{L}\p{N}]{2,}|\p{Lo}/gu) ?? [])];
}
