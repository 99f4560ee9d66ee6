import { type Invocation, UsageError } from "../../command.ts";
import { outputOf, withNode } from "../../node.ts";
import { configOptionsOf } from "../../options.ts";

/** Searches and prints the results. */
export async function runSearch(invocation: Invocation, usual: number): Promise<void> {
  const { arguments: given, options, switches, terminal } = invocation;
  const limit = Number(options.limit ?? usual);
  if (!Number.isInteger(limit) || limit < 1 || limit > 50)
    throw new UsageError("--limit: a number from 1 to 50.");
  const query = given.query ?? "";
  if (switches.has("explain")) return explain(invocation, query, limit);
  const namespace = options.namespace === undefined ? {} : { namespace: options.namespace };
  const cursor = options.cursor === undefined ? {} : { cursor: options.cursor };
  const input = { ...namespace, ...cursor, ...(query === "" ? {} : { query }), limit };
  const { requestId: _, ...answer } = outputOf(
    await withNode(invocation, (node) => node.ask("search", input)),
  );
  terminal.print(switches.has("json") ? JSON.stringify(answer, null, 2) : textOfAnswer(answer as Answer));
}

async function explain(invocation: Invocation, query: string, limit: number): Promise<void> {
  const { options, switches, terminal } = invocation;
  if (query === "") throw new UsageError("--explain needs a query: pinhole search create an issue --explain");
  if (options.url !== undefined)
    throw new UsageError("--explain looks into a configuration, not into a running node: leave --url out.");
  const { loadCatalogue } = await import("../../../operator/index.ts");
  const catalogue = await loadCatalogue(await configOptionsOf(invocation));
  try {
    const explained = await catalogue.explain(query, limit);
    terminal.print(switches.has("json") ? JSON.stringify(explained, null, 2) : textOfExplanations(explained));
  } finally {
    await catalogue.close();
  }
}

/** Output of `services/search`. */
interface Answer {
  readonly operations?: readonly {
    readonly name: string;
    readonly description: string;
    readonly signature: string;
  }[];
  readonly total?: number;
  readonly nextCursor?: string;
  readonly note?: string;
  readonly namespaces?: readonly {
    readonly name: string;
    readonly description: string;
    readonly operations: number;
  }[];
}

/** A found operation, and why it was found. */
interface Explained {
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
function textOfAnswer({ operations = [], total, nextCursor, note, namespaces }: Answer): string {
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
  const more = nextCursor === undefined ? "" : `; more with --cursor ${nextCursor}`;
  const count = total === undefined ? [] : [`${operations.length} of ${total}${more}`];
  return [...hits, ...count, ...(note === undefined ? [] : [note])].join("\n");
}

/** Explanations for people: words with their field and their score. */
function textOfExplanations(explained: readonly Explained[]): string {
  if (explained.length === 0) return "Nothing found.";
  return explained.map(textOfExplanation).join("\n\n");
}

function textOfExplanation({ name, score, lexical, dense, words }: Explained): string {
  const head = `${name}  ${score.toFixed(3)} (words ${lexical.toFixed(2)}, meaning ${dense.toFixed(2)})`;
  const lines = words.map(({ word, found, field, points }) => {
    const wordText = word === found ? word : `${word} as ${found}`;
    return `    ${points.toFixed(2).padStart(6)}  ${wordText} in ${field}`;
  });
  return [head, ...lines].join("\n");
}
