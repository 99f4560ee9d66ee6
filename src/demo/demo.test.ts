import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError } from "../core/index.ts";
import { createRuntime } from "../runtime.ts";
import { createDemo } from "./demo.ts";

test("the bookshop is imported from its document: a query, a mutation and a subscription work", async () => {
  const { dispatch } = createRuntime({ sources: await createDemo() });
  const call = (operation: string, input: object) =>
    dispatch.invoke({ operation: `shop/${operation}`, input });
  const [book] = (await call("findBooks", { query: "shelley", maxPrice: 7 })) as {
    isbn: string;
    copies: number;
  }[];
  assert.ok(book);
  const order = (await call("orderBook", { body: { isbn: book.isbn, copies: 2 } })) as { id: string };
  assert.deepEqual(await call("getBook", { isbn: book.isbn }), { ...book, copies: book.copies - 2 });
  const items = await dispatch.invokeStreaming({ operation: "shop/trackOrder", input: { id: order.id } });
  const seen: unknown[] = [];
  for await (const item of items) seen.push((item as { status: string }).status);
  assert.deepEqual(seen, ["packed", "shipped", "delivered"]);
});

test("the bookshop answers for missing books with its own errors", async () => {
  const { dispatch } = createRuntime({ sources: await createDemo() });
  const refused = (operation: string, input: object, code: string) =>
    assert.rejects(dispatch.invoke({ operation: `shop/${operation}`, input }), (error) => {
      assert.ok(error instanceof CallError);
      assert.equal(error.code, code);
      return true;
    });
  await refused("getBook", { isbn: "1" }, "HTTP_404");
  await refused("orderBook", { body: { isbn: "1" } }, "HTTP_404");
  await refused("orderBook", { body: { isbn: "9780141441146", copies: 9 } }, "HTTP_409");
  await refused("orderBook", { body: { isbn: "9780141441146", copies: 99 } }, "INVALID_INPUT");
});

test("a reader of a tracked order who goes away ends the stream", async () => {
  const { dispatch } = createRuntime({ sources: await createDemo() });
  const items = await dispatch.invokeStreaming({ operation: "shop/trackOrder", input: { id: "1" } });
  assert.equal((await items.next()).done, false);
  await items.return?.();
  assert.equal((await items.next()).done, true);
});

test("two gateways have a bookshop each", async () => {
  const [one, other] = await Promise.all([createDemo(), createDemo()]);
  const input = { body: { isbn: "9780141439600", copies: 1 } };
  const order = (sources: Awaited<ReturnType<typeof createDemo>>) =>
    createRuntime({ sources }).dispatch.invoke({ operation: "shop/orderBook", input });
  assert.deepEqual(await order(one), await order(other));
});
