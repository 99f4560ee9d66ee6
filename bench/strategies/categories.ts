import type { Tool } from "../search/read-set.ts";
import { createRanker } from "./bm25.ts";
import { byServer, type Catalogue } from "./catalogues.ts";
import { textOf, toDefinition, tokensOf, tokensOfCall } from "./definitions.ts";
import { type Exchange, MOST_LOOKS, nothingToClose, type Shown, type Strategy } from "./strategy.ts";

const LINE = 160;

interface Category {
  readonly name: string;
  readonly line: string;
  readonly tools: readonly Tool[];
}

/** Servers as categories; the script knows of each what the model is shown. */
export const categories: Strategy = {
  name: "categories",
  policy: `Two tools: one lists the servers, each with a line of at most ${LINE} characters, and opens one, the other calls. The script opens the server whose line matches the task best (plain BM25) and reads all its definitions; if no right tool is there, the next, ${MOST_LOOKS} at most.`,
  show: async (catalogue) => showCategories(catalogue, ({ name, line }) => `${name} ${line}`),
};

/** The same, with a script that chooses by more than the model is shown. */
export const knownCategories: Strategy = {
  name: "categories, tools known",
  policy:
    "The same, but the script chooses by the texts of the tools inside, which a model is not shown: kinder than a script that sees the lines alone; a good model may do better still.",
  show: async (catalogue) =>
    showCategories(catalogue, ({ name, line, tools }) => `${name} ${line} ${tools.map(textOf).join(" ")}`),
};

function showCategories({ tools }: Catalogue, matchText: (category: Category) => string): Shown {
  const all = categoriesOf(tools);
  const menu = tokensOf(menuOf(all));
  const rank = createRanker(all.map(matchText));
  return {
    close: nothingToClose,
    async work({ query, relevant }) {
      const exchanges: Exchange[] = [];
      let right: Tool | undefined;
      for (const place of rank(query).slice(0, MOST_LOOKS)) {
        const opened = all[place];
        if (!opened) break;
        exchanges.push({
          wrote: tokensOfCall("open_category", { category: opened.name }),
          read: tokensOf(opened.tools.map(toDefinition)),
        });
        right = opened.tools.find(({ id }) => relevant.includes(id));
        if (right) break;
      }
      return {
        menu,
        menuIsOfTask: false,
        exchanges,
        roundTrips: exchanges.length,
        seenFirst: right !== undefined && exchanges.length === 1,
        seen: right !== undefined,
        callFrame: right ? tokensOfCall("call_tool", { tool: toDefinition(right).name, input: {} }) : 0,
      };
    },
  };
}

function categoriesOf(tools: readonly Tool[]): readonly Category[] {
  return [...byServer(tools)].map(([name, own]) => {
    const { serverTitle = "", serverDescription = "" } = own[0] ?? {};
    const text = (serverDescription || serverTitle).replaceAll(/\s+/g, " ").trim();
    return { name, line: text.slice(0, LINE), tools: own };
  });
}

function menuOf(all: readonly Category[]): readonly object[] {
  const lines = all.map(({ name, line, tools }) => `${name} (${tools.length}): ${line}`);
  const text = { type: "string" } as const;
  return [
    {
      name: "open_category",
      description: `Shows the tools of a category. The categories are:\n${lines.join("\n")}`,
      inputSchema: { type: "object", properties: { category: text }, required: ["category"] },
    },
    {
      name: "call_tool",
      description: "Calls a tool of an opened category.",
      inputSchema: {
        type: "object",
        properties: { tool: text, input: { type: "object" } },
        required: ["tool"],
      },
    },
  ];
}
