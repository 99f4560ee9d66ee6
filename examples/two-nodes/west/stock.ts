/** The warehouse: operations to read, follow and change the stock. */
import { CallError, defineOperation, definePlugin } from "pinhole/core";

const stock = new Map([
  ["lamp", 12],
  ["chair", 4],
]);

const ITEM = {
  type: "object",
  properties: { item: { type: "string", description: "Such as lamp" } },
  required: ["item"],
} as const;

const UNKNOWN = { code: "UNKNOWN_ITEM", description: "There is no such item.", httpStatus: 404 };

function countOf(item: string): number {
  const found = stock.get(item);
  if (found === undefined) throw new CallError("UNKNOWN_ITEM", `There is no ${item} here.`);
  return found;
}

const count = defineOperation({
  name: "stock/count",
  type: "query",
  description: "Tells how many of an item are in stock.",
  access: { scopes: ["read"] },
  inputSchema: ITEM,
  errors: [UNKNOWN],
  handler: ({ item }) => ({ item, count: countOf(item) }),
});

const watch = defineOperation({
  name: "stock/watch",
  type: "subscription",
  description: "Follows how an item sells, one by one, until none is left.",
  access: { scopes: ["read"] },
  inputSchema: ITEM,
  errors: [UNKNOWN],
  async *handler({ item }) {
    for (let left = countOf(item) - 1; left >= 0; left--) yield { item, left };
  },
});

const take = defineOperation({
  name: "stock/take",
  type: "mutation",
  description: "Takes one of an item out of stock.",
  access: { scopes: ["write"] },
  inputSchema: ITEM,
  errors: [UNKNOWN],
  handler: ({ item }) => {
    stock.set(item, countOf(item) - 1);
    return { item, count: countOf(item) };
  },
});

export default definePlugin({
  name: "stock",
  description: "What is in the warehouse.",
  operations: [count, watch, take],
});
