import type { LabelledQuery, LabelledSet, Tool } from "../search/read-set.ts";

/** Real tools, and tasks whose right tools are among them. */
export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly tasks: readonly LabelledQuery[];
}

/** Sizes to build, and the seed for the order of the distractors. */
export interface CatalogueOptions {
  readonly sizes: readonly number[];
  readonly seed: number;
}

/**
 * One catalogue for each size, each holding the one before, and the same tasks for all of them: the right tools first, then
 * whole servers as distractors in an order that the seed decides, those of the labelled set before those of the pool.
 */
export function buildCatalogues(
  { tools, queries }: LabelledSet,
  pool: readonly Tool[],
  { sizes, seed }: CatalogueOptions,
): readonly Catalogue[] {
  const smallest = Math.min(...sizes);
  const wanted = new Set<string>();
  const known = new Set(tools.map(({ id }) => id));
  const tasks = queries.filter(({ relevant }) => {
    if (relevant.length === 0 || !relevant.every((id) => known.has(id))) return false;
    if (new Set([...wanted, ...relevant]).size > smallest) return false;
    for (const id of relevant) wanted.add(id);
    return true;
  });
  const random = randomFrom(seed);
  const all = [
    ...tools.filter(({ id }) => wanted.has(id)),
    ...byWholeServers(
      tools.filter(({ id }) => !wanted.has(id)),
      random,
    ),
    ...byWholeServers(pool, random),
  ];
  const largest = Math.max(...sizes);
  if (all.length < largest) {
    throw new Error(`There are ${all.length} tools, too few for ${largest}. Add a pool of more tools.`);
  }
  return sizes.map((size) => ({ tools: all.slice(0, size), tasks }));
}

/** The tools of each server, in the order in which the servers first appear. */
export function byServer(tools: readonly Tool[]): ReadonlyMap<string, readonly Tool[]> {
  const servers = new Map<string, Tool[]>();
  for (const tool of tools) {
    const own = servers.get(tool.server);
    if (own) own.push(tool);
    else servers.set(tool.server, [tool]);
  }
  return servers;
}

function byWholeServers(tools: readonly Tool[], random: () => number): Tool[] {
  const order = [...byServer(tools).values()].map((group) => ({ group, at: random() }));
  return order.sort((a, b) => a.at - b.at).flatMap(({ group }) => group);
}

/** Numbers from 0 to 1 that are the same for the same seed, on every machine (xorshift32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
