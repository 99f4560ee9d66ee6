import { bodies } from "./hostile/bodies.ts";
import { documents } from "./hostile/documents.ts";
import { envelopes } from "./hostile/envelopes.ts";
import { expressions } from "./hostile/expressions.ts";
import type { HostileKind } from "./hostile/kind.ts";
import { runKind } from "./hostile/run-kind.ts";
import { schemas } from "./hostile/schemas.ts";
import type { Bench, Figure } from "./support/bench.ts";

const KINDS: readonly HostileKind[] = [expressions, schemas, documents, bodies, envelopes];

/** How long the event loop is held by the worst that callers and upstreams can send. */
export const hostile: Bench = {
  name: "hostile",
  title: "the longest turn of the event loop for generated hostile material, by kind",
  async run() {
    const figures: Figure[] = [];
    for (const kind of KINDS) figures.push(...(await runKind(kind)));
    console.log();
    return figures;
  },
};
