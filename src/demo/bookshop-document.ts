const BOOK = {
  type: "object",
  title: "book",
  properties: {
    isbn: { type: "string" },
    title: { type: "string" },
    author: { type: "string" },
    price: { type: "number", description: "In euros" },
    copies: { type: "integer", description: "How many there are" },
  },
  required: ["isbn", "title", "author", "price", "copies"],
} as const;

const ORDER = {
  type: "object",
  title: "order",
  properties: {
    id: { type: "string" },
    isbn: { type: "string" },
    copies: { type: "integer" },
    total: { type: "number" },
    status: { enum: ["packed", "shipped", "delivered"] },
  },
  required: ["id", "isbn", "copies", "total", "status"],
} as const;

const NOT_THERE = { description: "There is no such thing." } as const;

function json(description: string, schema: object) {
  return { description, content: { "application/json": { schema } } };
}

function inPath(name: string, description: string) {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

/** The document of a small shop: something to look up, something with an effect, something that streams. */
export const SHOP_DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Bookshop",
    version: "1.0.0",
    description: "A bookshop to try: find books, order some, follow the parcel.",
  },
  servers: [{ url: "https://bookshop.example" }],
  paths: {
    "/books": {
      get: {
        operationId: "findBooks",
        summary: "Finds books by title or author",
        parameters: [
          { name: "query", in: "query", description: "Words of title or author", schema: { type: "string" } },
          { name: "maxPrice", in: "query", description: "In euros", schema: { type: "number" } },
        ],
        responses: { 200: json("The books.", { type: "array", items: BOOK }) },
      },
    },
    "/books/{isbn}": {
      get: {
        operationId: "getBook",
        summary: "Gets one book by its ISBN",
        parameters: [inPath("isbn", "Its ISBN, digits only")],
        responses: { 200: json("The book.", BOOK), 404: NOT_THERE },
      },
    },
    "/orders": {
      post: {
        operationId: "orderBook",
        summary: "Orders copies of a book",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  isbn: { type: "string" },
                  copies: { type: "integer", minimum: 1, maximum: 10, default: 1 },
                },
                required: ["isbn"],
              },
            },
          },
        },
        responses: {
          201: json("The order.", ORDER),
          404: NOT_THERE,
          409: { description: "There are not enough copies." },
        },
      },
    },
    "/orders/{id}/events": {
      get: {
        operationId: "trackOrder",
        summary: "Follows an order until it is delivered",
        parameters: [inPath("id", "The id of the order")],
        responses: {
          200: { description: "What happens.", content: { "text/event-stream": { schema: ORDER } } },
          404: NOT_THERE,
        },
      },
    },
  },
} as const;
