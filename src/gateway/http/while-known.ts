import type { Entrance } from "../../core/index.ts";

/**
 * An entrance whose streams go on only as long as their caller is still let in: a token may end, or be taken back, while
 * a stream lasts. It is looked at before an item is handed over, so that nothing goes to who is not known any more.
 */
export function whileKnown(entrance: Entrance, stillKnown: () => Promise<void>): Entrance {
  return {
    ...entrance,
    within: (reach) => whileKnown(entrance.within(reach), stillKnown),
    async subscribe(call, wire) {
      const items = await entrance.subscribe(call, wire);
      const known: AsyncIterableIterator<unknown> = {
        async next() {
          const step = await items.next();
          if (step.done) return step;
          try {
            await stillKnown();
          } catch (error) {
            await items.return?.();
            throw error;
          }
          return step;
        },
        return: async () => (await items.return?.()) ?? { done: true, value: undefined },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
      return known;
    },
  };
}
