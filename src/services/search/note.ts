import { cutAtSentence } from "./hit.ts";

/** Below this the best is a guess. */
const WEAK = 0.42;
const MAX_NAMED = 3;
const MAX_QUERY = 40;
/** So many letters of names are shown; one name always is. */
const MAX_LETTERS = 120;

/** What an agent should know about an answer that is probably none; undefined where it looks right. */
export async function noteOn(answer: {
  readonly confidence: number;
  /** The namespaces of what was found, best first. */
  readonly near: Iterable<string>;
  /** The namespaces that the caller sees. */
  readonly all: () => Promise<readonly string[]>;
}): Promise<string | undefined> {
  if (answer.confidence >= WEAK) return undefined;
  const near = first([...new Set(answer.near)], MAX_NAMED);
  if (near.length > 0) {
    return `Nothing fits well. The nearest namespaces: ${near.join(", ")}. Look there with "namespace", or say it in other words.`;
  }
  const all = await answer.all();
  const shown = first(all, 2 * MAX_NAMED);
  const rest = all.length > shown.length ? ` and ${all.length - shown.length} more` : "";
  return all.length === 0
    ? "Nothing found."
    : `Nothing found. The namespaces here: ${shown.join(", ")}${rest}. Say it in other words, or look at the namespaces by a search without query.`;
}

/** The same for several queries at once: which of them have no good answer, and where to look for it. */
export function noteOnGroups(
  answers: readonly {
    readonly query: string;
    readonly confidence: number;
    readonly near: Iterable<string>;
  }[],
): string | undefined {
  const weak = answers.filter(({ confidence }) => confidence < WEAK);
  if (weak.length === 0) return undefined;
  const named = weak.map(({ query, near }) => {
    const namespaces = first([...new Set(near)], MAX_NAMED);
    const where = namespaces.length > 0 ? ` (nearest namespaces: ${namespaces.join(", ")})` : "";
    return `"${cutAtSentence(query, MAX_QUERY)}"${where}`;
  });
  return `Nothing fits well for ${named.join(", ")}. Say it in other words, or look in a namespace.`;
}

/** The first names, as many as may be shown and as are short enough together. */
function first(names: readonly string[], most: number): readonly string[] {
  let letters = 0;
  const end = names.slice(0, most).findIndex((name, at) => {
    letters += name.length;
    return at > 0 && letters > MAX_LETTERS;
  });
  return names.slice(0, end === -1 ? most : end);
}
