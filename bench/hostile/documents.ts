import { inSlices } from "../../src/core/index.ts";
import { DocumentRefused, readingSteps } from "../../src/formats/index.ts";
import type { HostileKind } from "./kind.ts";
import { type Random, randomOf } from "./random.ts";

type Json = Readonly<Record<string, unknown>>;

const OK = { 200: { description: "Fine." } };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** OpenAPI documents of up to 1 MiB whose parts lead to each other, or repeat each other, in every way that costs. */
export const documents: HostileKind = {
  name: "documents",
  cases: 600,
  generate(seed) {
    const random = randomOf(seed);
    const [shape, make] = random.pick(Object.entries(SHAPES));
    const size = 10 + random.below(random.pick([50, 500, 3_000, 12_000]));
    const made = make(size, random);
    const text = JSON.stringify({ openapi: "3.1.0", info: { title: "T" }, ...made });
    return {
      title: `${shape} of ${size}, ${text.length} bytes`,
      bytes: text.length,
      async run() {
        try {
          await inSlices(readingSteps({ root: JSON.parse(text) }));
          return "answered";
        } catch (error) {
          if (error instanceof DocumentRefused) return "refused";
          throw error;
        }
      },
    };
  },
};

const list = <Item>(size: number, item: (n: number) => Item) =>
  Array.from({ length: size }, (_, n) => item(n));
const named = (size: number, prefix: string, item: (n: number) => unknown): Json =>
  Object.fromEntries(list(size, (n) => [`${prefix}${n}`, item(n)]));
const bodyOf = (schema: unknown, mediaType = "multipart/form-data") => ({
  "/a": { post: { requestBody: { content: { [mediaType]: { schema } } }, responses: OK } },
});

const SHAPES: Readonly<Record<string, (size: number, random: Random) => Json>> = {
  "layers of allOf": (size, random) => {
    const width = Math.min(size, 300);
    const schemas = named(12, "L", (n) => ({
      [random.pick(["allOf", "oneOf", "anyOf"])]: list(width, () => ref(`L${n + 1}`)),
    }));
    return { paths: bodyOf(ref("L0")), components: { schemas } };
  },
  "nested allOf of one direction": (size) => {
    let schema: unknown = {
      properties: named(size, "p", () => ({ readOnly: true })),
      required: list(size, (n) => `p${n}`),
    };
    for (let level = 0; level < 100; level++)
      schema = {
        allOf: [schema],
        required: [`q${level}`],
        properties: { [`q${level}`]: { readOnly: true } },
      };
    return { paths: bodyOf(schema, "application/json") };
  },
  "unions with mappings": (size) => ({
    paths: bodyOf({
      oneOf: list(size, (n) => ref(`S${n}`)),
      discriminator: { propertyName: "kind", mapping: named(size, "m", (n) => `S${size - n}`) },
    }),
    components: { schemas: named(size, "S", () => ({ type: "object" })) },
  }),
  "schemas of one name": (size) => ({
    paths: bodyOf({ anyOf: list(size, (n) => ({ $ref: `#/x/${n}/same` })) }, "application/json"),
    x: named(size, "", () => ({ same: { type: "string" } })),
  }),
  "operations of one name": (size) => ({
    paths: named(size, "/p", () => ({ get: { operationId: "same", responses: OK } })),
  }),
  "a ring of schemas": (size) => ({
    paths: named(Math.min(size, 300), "/p", (n) => bodyOf(ref(`S${n}`), "application/json")["/a"]),
    components: { schemas: named(size, "S", (n) => ({ properties: { next: ref(`S${(n + 1) % size}`) } })) },
  }),
  "errors that share a vast body": (size) => ({
    paths: {
      "/a": {
        get: { responses: { ...named(200, "4", () => ({ $ref: "#/components/responses/E" })), ...OK } },
      },
    },
    components: {
      responses: {
        E: {
          description: "Bad.",
          content: {
            "application/json": { schema: { properties: named(size, "p", () => ({ type: "string" })) } },
          },
        },
      },
    },
  }),
  "servers with variables": (size) => ({
    paths: { "/a": { get: { responses: OK } } },
    servers: list(size, () => ({
      url: `https://x/${"{a}".repeat(20)}`,
      variables: { a: { default: "y".repeat(300), enum: list(5, String) } },
    })),
  }),
  "very many parameters": (size) => ({
    paths: {
      "/a": {
        get: {
          parameters: list(size * 3, (n) => ({ name: `p${n}`, in: "query", schema: { type: "string" } })),
          responses: OK,
        },
      },
    },
  }),
  "very many media types": (size) => ({
    paths: {
      "/a": {
        post: {
          requestBody: { content: named(size, "multipart/form-data;a=", () => ({ schema: ref("L0") })) },
          responses: OK,
        },
      },
    },
    components: { schemas: named(5, "L", (n) => ({ allOf: list(100, () => ref(`L${n + 1}`)) })) },
  }),
};
