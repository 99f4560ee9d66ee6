/** Options of a batch. */
export interface BatchOptions {
  /** Maximum items at the same time. */
  readonly concurrency: number;
}

/**
 * Runs every item with bounded concurrency and answers in the order of the items. `run` must not throw:
 * it answers failures as values, so that one never fails another.
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  run: (item: Item, index: number) => Promise<Result>,
  options: BatchOptions,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, items.length) }, worker));
  return results;
}
