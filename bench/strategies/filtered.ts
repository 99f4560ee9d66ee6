import { createRanker } from "./bm25.ts";
import { textOf, toDefinition, tokensOf, tokensOfCall } from "./definitions.ts";
import { nothingToClose, type Strategy } from "./strategy.ts";

const SHOWN = 10;

/** The host picks ten tools for each task before the model sees anything. */
export const filtered: Strategy = {
  name: "filtered to ten",
  policy:
    "The host ranks all tools by the text of the task (plain BM25 over server, name, description and parameters) and shows ten full definitions. One retrieval a task, made by the host; the model cannot look again. The menu is another one for each task, so that no cached prompt survives it.",
  async show({ tools }) {
    const rank = createRanker(tools.map(textOf));
    return {
      close: nothingToClose,
      async work({ query, relevant }) {
        const shown = rank(query)
          .slice(0, SHOWN)
          .flatMap((place) => tools[place] ?? []);
        const right = shown.find(({ id }) => relevant.includes(id));
        return {
          menu: tokensOf(shown.map(toDefinition)),
          menuIsOfTask: true,
          exchanges: [],
          roundTrips: 1,
          seenFirst: right !== undefined,
          seen: right !== undefined,
          callFrame: right ? tokensOfCall(toDefinition(right).name, {}) : 0,
        };
      },
    };
  },
};
