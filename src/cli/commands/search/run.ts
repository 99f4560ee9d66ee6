import { type Invocation, UsageError } from "../../command.ts";
import { outputOf, withNode } from "../../node.ts";
import { configOptionsOf } from "../../options.ts";
import { type Answer, textOfAnswer, textOfExplanations } from "../../search-text.ts";

/** Searches and prints the results. */
export async function runSearch(invocation: Invocation, usual: number): Promise<void> {
  const { arguments: given, options, switches, terminal } = invocation;
  const limit = Number(options.limit ?? usual);
  if (!Number.isInteger(limit) || limit < 1 || limit > 50)
    throw new UsageError("--limit: a number from 1 to 50.");
  const query = given.query ?? "";
  if (switches.has("explain")) return explain(invocation, query, limit);
  const namespace = options.namespace === undefined ? {} : { namespace: options.namespace };
  const input = { ...namespace, ...(query === "" ? {} : { query }), limit };
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
