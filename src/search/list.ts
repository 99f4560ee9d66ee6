import { defineOperation, type Registration, type Registry } from "../core/index.ts";
import { Slices } from "../formats/index.ts";
import { toHit } from "./hit.ts";
import { pageOf } from "./list-page.ts";
import { publicSpec } from "./public-spec.ts";

/** `services/list`: every operation that the caller may see, by name, in pages. */
export function defineList(registry: Registry): Registration {
  const slices = new Slices();
  return defineOperation({
    name: "services/list",
    type: "query",
    description:
      "Lists every operation that you may call, in pages and by name. To find one, search is better.",
    inputSchema: {
      type: "object",
      properties: {
        namespace: { type: "string", description: "Only the operations of this namespace" },
        cursor: { type: "string", description: "nextCursor of the page before" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 500,
          description: "Operations a page, 100 if not given",
        },
        full: { type: "boolean", description: "Whole specs instead of one line each" },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: {
        operations: { type: "array", items: { type: "object" } },
        nextCursor: { type: "string" },
      },
      required: ["operations"],
    },
    async handler({ namespace, cursor = "", limit = 100, full = false }, context) {
      const found = await slices.run(pageOf(registry, context, { namespace, cursor, most: limit + 1 }));
      const page = found.slice(0, limit);
      const operations = page.map((spec) => (full ? publicSpec(spec) : toHit(spec)));
      return found.length > limit ? { operations, nextCursor: page.at(-1)?.name } : { operations };
    },
  });
}
