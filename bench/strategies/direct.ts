import { toDefinition, tokensOf, tokensOfCall } from "./definitions.ts";
import { nothingToClose, type Strategy } from "./strategy.ts";

/** Every definition in the context, for every task. */
export const direct: Strategy = {
  name: "all directly",
  policy:
    "All definitions stand in the context of every task. The right tool is always there; whether a model finds it among so many is not measured.",
  async show({ tools }) {
    const definitions = new Map(tools.map((tool) => [tool.id, toDefinition(tool)]));
    const menu = tokensOf([...definitions.values()]);
    return {
      close: nothingToClose,
      work: async ({ relevant }) => ({
        menu,
        menuIsOfTask: false,
        exchanges: [],
        roundTrips: 0,
        seenFirst: true,
        seen: true,
        callFrame: tokensOfCall(definitions.get(relevant[0] ?? "")?.name ?? "", {}),
      }),
    };
  },
};
