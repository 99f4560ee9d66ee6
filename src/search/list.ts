import { defineOperation, type OperationSpec, type Registration, type Registry } from "../core/index.ts";
import { toHit } from "./hit.ts";
import { publicSpec } from "./public-spec.ts";
import { viewOf } from "./view-of.ts";

/** `services/list`: every operation that the caller may see, by name, in pages. */
export function defineList(registry: Registry): Registration {
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
    handler({ namespace, cursor, limit = 100, full = false }, context) {
      const page: OperationSpec[] = [];
      for (const { registration } of viewOf(registry, context).visible(namespace)) {
        // The cursor is the last name of the page before, so that pages hold when operations come and go.
        if (cursor !== undefined && registration.spec.name <= cursor) continue;
        if (page.length === limit) {
          return { operations: page.map(shown), nextCursor: page.at(-1)?.name };
        }
        page.push(registration.spec);
      }
      return { operations: page.map(shown) };

      function shown(spec: OperationSpec) {
        return full ? publicSpec(spec) : toHit(spec);
      }
    },
  });
}
