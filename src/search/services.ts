import { definePlugin, type Registry, type SourceSet } from "../core/index.ts";
import { defineList } from "./list.ts";
import { defineSchema } from "./schema.ts";
import { defineSearch } from "./search.ts";

/** The operations by which callers find operations. They show each caller only what it may see. */
export function createServices(registry: Registry): SourceSet {
  return definePlugin({
    name: "services",
    description: "Find operations and read how to call them.",
    operations: [defineSearch(registry), defineList(registry), defineSchema(registry)],
  });
}
