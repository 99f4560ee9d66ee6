import { createSelector } from "../../src/formats/index.ts";
import type { HostileKind } from "./kind.ts";
import { randomOf } from "./random.ts";

/** Select expressions. */
export const expressions: HostileKind = {
  name: "expressions",
  cases: 1_000,
  generate(seed) {
    const { below } = randomOf(seed);
    const selector = createSelector();
    const title = `items[${below(100)}].name`;
    return {
      title,
      bytes: title.length,
      run: () => {
        selector.select(title, { items: [] });
        return "answered";
      },
    };
  },
};
