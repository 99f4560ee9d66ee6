/** Output of `services/search`. */
export interface Answer {
  readonly operations?: readonly {
    readonly name: string;
    readonly description: string;
    readonly signature: string;
  }[];
  readonly total?: number;
  readonly note?: string;
  readonly namespaces?: readonly {
    readonly name: string;
    readonly description: string;
    readonly operations: number;
  }[];
}

/** A found operation, and why it was found. */
export interface Explained {
  readonly name: string;
  readonly score: number;
  readonly lexical: number;
  readonly dense: number;
  readonly words: readonly {
    readonly word: string;
    readonly found: string;
    readonly field: string;
    readonly points: number;
  }[];
}

/** An answer of search, for people. */
export function textOfAnswer({ operations = [], total, note, namespaces }: Answer): string {
  if (namespaces) {
    return namespaces
      .map(
        ({ name, description, operations: count }) =>
          `${name} (${count})${description && `  ${description}`}`,
      )
      .join("\n");
  }
  const hits = operations.map(
    ({ name, description, signature }) => `${name}${signature}\n    ${description}`,
  );
  const count = total === undefined ? [] : [`${operations.length} of ${total}`];
  return [...hits, ...count, ...(note === undefined ? [] : [note])].join("\n");
}

/** Explanations for people: words with their field and their score. */
export function textOfExplanations(explained: readonly Explained[]): string {
  if (explained.length === 0) return "Nothing found.";
  return explained.map(textOf).join("\n\n");
}

function textOf({ name, score, lexical, dense, words }: Explained): string {
  const head = `${name}  ${score.toFixed(3)} (words ${lexical.toFixed(2)}, meaning ${dense.toFixed(2)})`;
  const lines = words.map(({ word, found, field, points }) => {
    const shown = word === found ? word : `${word} as ${found}`;
    return `    ${points.toFixed(2).padStart(6)}  ${shown} in ${field}`;
  });
  return [head, ...lines].join("\n");
}
