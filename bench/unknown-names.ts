import { createRuntime, defineOperation, definePlugin } from "../src/core.ts";
import type { Figure } from "./support/bench.ts";

const MANY = 100_000;
/** Number of unknown names that are looked up at once. */
const NAMES = 50;
const MOST_MS = 50;

const VERBS = ["create", "list", "update", "remove"];
const THINGS = ["invoice", "customer", "shipment", "payment", "address"];
const wordOf = (n: number) => `${VERBS[n % 4]}_${THINGS[n % 5]}_${(n * 7_919) % MANY}`;

/** Names of all operations, by what makes them hard. */
const CATALOGUES: Readonly<Record<string, (n: number) => string>> = {
  "one namespace": (n) => `shop/${wordOf(n)}`,
  "2,500 namespaces": (n) => `shop${n % 2_500}/${wordOf(n)}`,
  "one last word": (n) => `shop/${n}/list`,
};

/** Processor time to say what may have been meant by names that no operation has; nothing is awaited meanwhile. */
export async function unknownNameFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [title, nameOf] of Object.entries(CATALOGUES)) {
    const { gateway } = createRuntime({ sources: [catalogueOf(nameOf)] });
    const entrance = await gateway.enter();
    let worst = 0;
    for (const namespace of ["shop", "shop9999", "elsewhere"]) {
      const lookUp = async () => {
        for (let n = 0; n < NAMES; n++)
          await entrance.call({ operation: `${namespace}/update_invoyce_x${n}` }).catch(() => {});
      };
      worst = Math.max(worst, await leastProcessorMs(lookUp));
    }
    figures.push({
      measure: `${NAMES} unknown names, ${title}`,
      unit: "ms of processor time",
      values: { [MANY.toLocaleString("en")]: worst },
      headline: true,
      target: { atMost: MOST_MS },
    });
  }
  return figures;
}

function catalogueOf(nameOf: (n: number) => string) {
  const operations = Array.from({ length: MANY }, (_, n) =>
    defineOperation({ name: nameOf(n), type: "query", description: "Does it.", handler: () => n }),
  );
  return definePlugin({ name: "catalogue", operations });
}

/** The least of some tries: the first compile the code, and others may collect garbage that is not theirs. */
async function leastProcessorMs(work: () => Promise<void>): Promise<number> {
  const tries: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    tries.push((user + system) / 1_000);
  }
  return Math.min(...tries);
}
