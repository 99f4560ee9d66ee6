import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { isRecord, type UnknownRecord } from "pinhole/core";

/** A document to try things with. */
export interface SampleDocument {
  readonly name: string;
  readonly root: UnknownRecord;
}

const FOLDER = dirname(createRequire(import.meta.url).resolve("@readme/oas-examples/package.json"));

/** The documents that the package of examples holds, of one version or all. */
export function exampleDocuments(version: "2.0" | "3.0" | "3.1" | "*" = "*"): readonly SampleDocument[] {
  return globSync(`${version}/json/**/*.json`, { cwd: FOLDER })
    .sort()
    .map((file) => ({ file, root: JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as unknown }))
    .filter((each): each is typeof each & { root: UnknownRecord } => isRecord(each.root))
    .map(({ file, root }) => ({ name: `${file.slice(0, 3)} ${basename(file, ".json")}`, root }));
}

const operation = (operationId: string, rest: object) => ({
  operationId,
  responses: { 200: { description: "Fine.", content: { "application/json": { schema: {} } } } },
  ...rest,
});
const inQuery = (name: string, schema: object, rest: object = {}) => ({ name, in: "query", schema, ...rest });

/** A document of our own: every place and style of parameters that a third party can check too. */
export const PARAMETERS: SampleDocument = {
  name: "parameters",
  root: {
    openapi: "3.0.3",
    info: { title: "Parameters", version: "1" },
    servers: [{ url: "https://{region}.example.com/v1", variables: { region: { default: "eu" } } }],
    paths: {
      "/things/{id}/parts/{part}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        get: operation("readPart", {
          parameters: [
            { name: "part", in: "path", required: true, schema: { type: "integer", minimum: 1 } },
            inQuery("tags", { type: "array", items: { type: "string", enum: ["a", "b", "c"] } }),
            inQuery("codes", { type: "array", items: { type: "integer" }, minItems: 2 }, { explode: false }),
            inQuery(
              "piped",
              { type: "array", items: { enum: ["x", "y"] }, minItems: 2 },
              { style: "pipeDelimited", explode: false },
            ),
            inQuery(
              "filter",
              {
                type: "object",
                properties: { state: { type: "string" }, size: { type: "string" } },
                additionalProperties: false,
              },
              { style: "deepObject" },
            ),
            {
              name: "where",
              in: "query",
              content: {
                "application/json": { schema: { type: "object", properties: { a: { type: "integer" } } } },
              },
            },
            { name: "X-Request-Kind", in: "header", schema: { type: "string", enum: ["one", "two"] } },
            { name: "session", in: "cookie", schema: { type: "string" } },
          ],
        }),
      },
      "/things": {
        post: operation("createThing", {
          parameters: [
            inQuery("body", { type: "string" }),
            { name: "body", in: "header", schema: { type: "string" } },
          ],
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
          },
        }),
      },
    },
    components: {
      schemas: {
        Thing: {
          type: "object",
          required: ["name", "weight"],
          additionalProperties: false,
          properties: {
            name: { type: "string", nullable: true, maxLength: 20 },
            weight: { type: "number", minimum: 0, exclusiveMinimum: true },
            parent: { $ref: "#/components/schemas/Thing" },
            kind: {
              oneOf: [{ $ref: "#/components/schemas/Round" }, { $ref: "#/components/schemas/Square" }],
            },
          },
        },
        Round: {
          type: "object",
          required: ["radius"],
          properties: { radius: { type: "number" } },
          additionalProperties: false,
        },
        Square: {
          type: "object",
          required: ["side"],
          properties: { side: { type: "number" } },
          additionalProperties: false,
        },
      },
    },
  },
};
