import { loadCatalogue } from "../../gateway/index.ts";
import { type Command, type Invocation, UsageError } from "../command.ts";
import { configOptionsOf } from "../config-options.ts";
import { type Answer, textOfAnswer, textOfExplanations } from "../search-text.ts";

const HITS = 10;

/** `pinhole search`: what an agent would find, and why. */
export const search: Command = {
  name: "search",
  summary: "Finds operations, as an agent would.",
  description:
    "Brings in the sources of pinhole.yaml and searches them, as somebody who may see everything that is external. " +
    "With --explain it shows which words and parts of each operation counted, and how near its meaning is.",
  examples: [
    { line: "pinhole search create an issue", meaning: "Shows what is found." },
    { line: "pinhole search create an issue --explain", meaning: "Shows why, too." },
    { line: "pinhole search", meaning: "Shows the namespaces." },
  ],
  arguments: [{ name: "query", description: "What to find.", rest: true }],
  options: {
    explain: { description: "Shows which words and parts of each operation counted." },
    limit: { value: "N", description: "How many operations to show.", default: String(HITS) },
    json: { description: "Prints JSON." },
    config: {
      value: "FILE",
      description: "The configuration to read.",
      default: "pinhole.yaml here, if there is one",
    },
  },
  run: runSearch,
};

async function runSearch(invocation: Invocation): Promise<void> {
  const { arguments: given, options, switches, terminal } = invocation;
  const limit = Number(options.limit ?? HITS);
  if (!Number.isInteger(limit) || limit < 1 || limit > 50)
    throw new UsageError("--limit: a number from 1 to 50.");
  const query = given.query ?? "";
  const asJson = switches.has("json");
  const catalogue = await loadCatalogue(configOptionsOf(invocation));
  try {
    if (switches.has("explain") && query !== "") {
      const explained = await catalogue.explain(query, limit);
      terminal.print(asJson ? JSON.stringify(explained, null, 2) : textOfExplanations(explained));
    } else {
      const answer = await catalogue.search(query, limit);
      terminal.print(asJson ? JSON.stringify(answer, null, 2) : textOfAnswer(answer as Answer));
    }
  } finally {
    await catalogue.close();
  }
}
