import { definePlugin, type Registry, type SourceSet } from "../core/index.ts";
import { defineList } from "./list.ts";
import { BUDGET_TOKENS } from "./reply.ts";
import { defineSchema } from "./schema.ts";
import { defineSearch } from "./search.ts";
import { createSearchIndex } from "./search-index.ts";

/** How the services find operations and show them. */
export interface ServicesOptions {
  /** False: search by words alone, without word vectors. */
  readonly dense?: boolean;
  /** What a reply of ten hits may cost, in tokens. */
  readonly budgetTokens?: number;
  /** A file that keeps the index between starts. */
  readonly file?: string;
}

/** The operations by which callers find operations. They show each caller only what it may see. */
export function createServices(registry: Registry, options: ServicesOptions = {}): SourceSet {
  const { budgetTokens = BUDGET_TOKENS, ...rest } = options;
  const index = createSearchIndex(registry, rest);
  return definePlugin({
    name: "services",
    description: "Find operations and read how to call them.",
    operations: [defineSearch({ index, budgetTokens }), defineList(registry), defineSchema(registry)],
  });
}
