import { setTimeout } from "node:timers/promises";

/** A request to the shop, as it would come over HTTP. */
interface ShopRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/** A response of the shop, as it would go over HTTP. */
interface ShopAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array>;
}

interface Book {
  readonly isbn: string;
  readonly title: string;
  readonly author: string;
  readonly price: number;
  copies: number;
}

type Order = Readonly<Record<"id" | "isbn", string>> & { readonly copies: number; readonly total: number };

const STAGES = ["packed", "shipped", "delivered"] as const;
const STAGE_MS = 700;
const MOST_ORDERS = 1_000;

const SHELF: readonly (readonly [string, string, string, number, number])[] = [
  ["9780141439600", "A Tale of Two Cities", "Charles Dickens", 8.5, 12],
  ["9780142437247", "Moby-Dick", "Herman Melville", 12, 4],
  ["9780141439518", "Pride and Prejudice", "Jane Austen", 7.9, 20],
  ["9780140449136", "Crime and Punishment", "Fyodor Dostoevsky", 11.5, 7],
  ["9780141441146", "Jane Eyre", "Charlotte Brontë", 8.9, 3],
  ["9780140449242", "Twenty Thousand Leagues under the Sea", "Jules Verne", 9.9, 9],
  ["9780141439471", "Frankenstein", "Mary Shelley", 6.5, 15],
];

/** A shop that keeps its shelf and its orders in memory. One order is there from the start, to be followed. */
export function createBookshop(): (request: ShopRequest) => Promise<ShopAnswer> {
  const books = new Map(
    SHELF.map(([isbn, title, author, price, copies]) => [
      isbn,
      { isbn, title, author, price, copies } as Book,
    ]),
  );
  const orders = new Map<string, Order>();
  let made = 0;
  order("9780142437247", 1);

  function order(isbn: string, copies: number): ShopAnswer {
    const book = books.get(isbn);
    if (!book) return problem(404, `There is no book ${isbn}. findBooks shows what there is.`);
    if (book.copies < copies) return problem(409, `There are only ${book.copies} copies of ${book.title}.`);
    book.copies -= copies;
    const placed = { id: String(++made), isbn, copies, total: Math.round(book.price * copies * 100) / 100 };
    orders.set(placed.id, placed);
    const [oldest] = orders.keys();
    if (orders.size > MOST_ORDERS && oldest !== undefined) orders.delete(oldest);
    return json(201, { ...placed, status: STAGES[0] });
  }

  return async ({ method, url, body, signal }) => {
    const [, thing, id = "", part] = url.pathname.split("/").map(decodeURIComponent);
    if (method === "GET" && thing === "books" && id === "") return json(200, found([...books.values()], url));
    if (method === "GET" && thing === "books") {
      const book = books.get(id);
      return book ? json(200, book) : problem(404, `There is no book ${id}. findBooks shows what there is.`);
    }
    if (method === "POST" && thing === "orders") {
      const { isbn, copies = 1 } = JSON.parse(body) as { readonly isbn: string; readonly copies?: number };
      return order(isbn, copies);
    }
    const placed = orders.get(id);
    if (method === "GET" && thing === "orders" && part === "events")
      return placed ? follow(placed, signal) : problem(404, `There is no order ${id}. orderBook makes one.`);
    return problem(404, "There is nothing at this address.");
  };
}

function found(books: readonly Book[], { searchParams }: URL): readonly Book[] {
  const words = (searchParams.get("query") ?? "").toLowerCase().split(/\s+/);
  const most = Number(searchParams.get("maxPrice") ?? Number.POSITIVE_INFINITY);
  return books.filter(
    ({ title, author, price }) =>
      price <= most && words.every((word) => `${title} ${author}`.toLowerCase().includes(word)),
  );
}

function follow(order: Order, signal: AbortSignal | undefined): ShopAnswer {
  const encoder = new TextEncoder();
  let stage = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(stream) {
      if (stage > 0) await setTimeout(STAGE_MS, undefined, { signal }).catch(() => {});
      const status = signal?.aborted ? undefined : STAGES[stage++];
      if (status === undefined) return stream.close();
      stream.enqueue(encoder.encode(`data: ${JSON.stringify({ ...order, status })}\n\n`));
      if (stage === STAGES.length) stream.close();
    },
  });
  return { status: 200, headers: { "content-type": "text/event-stream" }, body };
}

function json(status: number, body: unknown): ShopAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function problem(status: number, message: string): ShopAnswer {
  return json(status, { message });
}
