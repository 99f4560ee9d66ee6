import {
  definePlugin,
  type Log,
  ownSet,
  type Registration,
  type Registry,
  type SourceSet,
} from "../../core/index.ts";
import { defineChanges } from "./change-watch.ts";
import { defineList } from "./list.ts";
import { BUDGET_TOKENS } from "./reply.ts";
import { defineSchema } from "./schema.ts";
import { defineSearch } from "./search.ts";
import { createSearchIndex, type SearchIndex } from "./search-index.ts";

const SOURCE = "services";

/** Options of the services. */
export interface ServicesOptions {
  /** False: search by words alone, without word vectors. */
  readonly dense?: boolean;
  /** Token budget of a reply of ten hits. */
  readonly budgetTokens?: number;
  /** The id of this node, where other nodes bring in what it lists. */
  readonly node?: string | undefined;
  /** Told of operations that cannot be indexed. */
  readonly log?: Log | undefined;
}

/** The operations by which callers find operations. They show each caller only what it may see. */
export function createServices(registry: Registry, options: ServicesOptions = {}): SourceSet {
  const { budgetTokens: _, node: __, ...rest } = options;
  return servicesOf(registry, createSearchIndex(registry, rest), options);
}

/** Makes the services anew with other options. Until the new index is built the old one answers. */
export async function renewServices(registry: Registry, options: ServicesOptions): Promise<void> {
  const { budgetTokens: _, node: __, ...rest } = options;
  const index = createSearchIndex(registry, rest);
  await index.ready();
  registry.apply({ replace: [servicesOf(registry, index, options)] });
}

function servicesOf(
  registry: Registry,
  index: SearchIndex,
  { budgetTokens = BUDGET_TOKENS, node }: ServicesOptions,
): SourceSet {
  const search = defineSearch({ registry, index, budgetTokens });
  closeWhenReplaced(registry, index, search);
  return ownSet(
    definePlugin({
      name: SOURCE,
      description: "Find operations and read how to call them.",
      operations: [search, defineList(registry, node), defineSchema(registry), defineChanges(registry)],
    }),
  );
}

/** An index that was replaced stops following the registry. */
function closeWhenReplaced(registry: Registry, index: SearchIndex, search: Registration): void {
  let wasThere = false;
  const stop = registry.onChange((_delta, snapshot) => {
    const isThere = snapshot.find(search.spec.name)?.registration.handler === search.handler;
    if (wasThere && !isThere) {
      index.close();
      stop();
    }
    wasThere = isThere;
  });
}
