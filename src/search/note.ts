/** Below this the best is a guess. */
const WEAK = 0.42;
const MAX_NAMED = 3;

/** What an agent should know about an answer that is probably none; undefined where it looks right. */
export function noteOn(answer: {
  readonly confidence: number;
  /** The namespaces of what was found, best first. */
  readonly near: Iterable<string>;
  /** The namespaces that the caller sees. */
  readonly all: () => readonly string[];
}): string | undefined {
  if (answer.confidence >= WEAK) return undefined;
  const near = [...new Set(answer.near)].slice(0, MAX_NAMED);
  if (near.length > 0) {
    return `Nothing fits well. The nearest namespaces: ${near.join(", ")}. Look there with "namespace", or say it in other words.`;
  }
  const all = answer.all();
  const shown = all.slice(0, 2 * MAX_NAMED).join(", ");
  const rest = all.length > 2 * MAX_NAMED ? ` and ${all.length - 2 * MAX_NAMED} more` : "";
  return all.length === 0
    ? "Nothing found."
    : `Nothing found. The namespaces here: ${shown}${rest}. Say it in other words, or look at the namespaces by a search without query.`;
}
