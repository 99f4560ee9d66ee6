import type { Command } from "../../command.ts";
import { CALL_EXIT_CODES, NODE_OPTIONS } from "../../options.ts";

const HITS = 10;

/** `pinhole search`: shows what an agent would find, and why. */
export const search: Command = {
  name: "search",
  summary: "Finds operations, as an agent would.",
  description:
    "Asks a running node (--url, PINHOLE_URL); without one it imports the sources of pinhole.yaml here and searches " +
    "them as a caller who may see everything that is external. With --explain it shows which words and parts of " +
    "each operation counted, and how near its meaning is.",
  examples: [
    { line: "pinhole search create an issue", meaning: "Shows the results." },
    { line: "pinhole search create an issue --explain", meaning: "Shows why, too." },
    { line: "pinhole search", meaning: "Shows the namespaces." },
    { line: "pinhole search --namespace text", meaning: "Shows all of a namespace, page by page." },
    { line: "pinhole search --url http://127.0.0.1:7464", meaning: "Asks a running node." },
  ],
  arguments: [{ name: "query", description: "What to find.", optional: true, rest: true }],
  options: {
    explain: { description: "Shows which words and parts of each operation counted." },
    namespace: { value: "NAME", description: "Looks only there; without a query, lists all of it." },
    limit: { value: "N", description: "Number of operations to show.", default: String(HITS) },
    cursor: { value: "CURSOR", description: "Shows the page after one that ended with this." },
    ...NODE_OPTIONS,
  },
  exitCodes: CALL_EXIT_CODES,
  run: async (invocation) => (await import("./run.ts")).runSearch(invocation, HITS),
};
