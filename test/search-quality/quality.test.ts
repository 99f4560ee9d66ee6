import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ANONYMOUS, createSearchIndex, Registry, type SourceSet } from "pinhole/core";
import { judge, type Metrics, meanOf } from "../../bench/search/metrics.ts";
import { readSet } from "../../bench/search/read-set.ts";
import { toSources } from "../../bench/search/to-sources.ts";
import { ROOT } from "../support/source-files.ts";
import { CATALOGUE, QUESTIONS } from "./catalogue.ts";

/** Quality may not drop by more than this, in points. A change that raises it should raise the numbers below. */
const SLACK = 0.5;
const SETS = join(ROOT, "../shared/data/retrieval");

/** What was reached, in percent; every so many questions of the large sets. */
const OWN = { dense: { ndcg10: 72.2, recall5: 83.5 }, words: { ndcg10: 57.5, recall5: 64.8 } };
const SAMPLES = [
  { set: "livemcp", every: 1, ndcg10: 42.0, recall5: 40.5 },
  { set: "livemcp-steps", every: 1, ndcg10: 63.6, recall5: 73.0 },
  { set: "livemcp-agent", every: 1, ndcg10: 58.8, recall5: 66.7 },
  { set: "metatool", every: 10, ndcg10: 66.7, recall5: 75.5 },
  { set: "sealtools", every: 10, ndcg10: 92.2, recall5: 88.2 },
];

interface Question {
  readonly query: string;
  readonly relevant: readonly string[];
}

async function measure(
  sources: readonly SourceSet[],
  questions: readonly Question[],
  { dense, idOf = (name) => name }: { readonly dense: boolean; readonly idOf?: (name: string) => string },
): Promise<Metrics> {
  const registry = new Registry();
  registry.apply({ replace: sources });
  const index = createSearchIndex(registry, { dense });
  const judged: Metrics[] = [];
  for (const { query, relevant } of questions) {
    const { entries } = await index.search(query, {
      caller: { identity: ANONYMOUS, internal: false },
      most: 10,
    });
    judged.push(
      judge(
        entries.map(({ registration }) => idOf(registration.spec.name)),
        relevant,
      ),
    );
  }
  index.close();
  return meanOf(judged);
}

function assertKept(what: string, found: Metrics, pinned: Pick<Metrics, "ndcg10" | "recall5">): void {
  for (const metric of ["ndcg10", "recall5"] as const) {
    assert.ok(
      found[metric] >= pinned[metric] - SLACK,
      `${what}: ${metric} is ${found[metric].toFixed(2)}, it was ${pinned[metric]}`,
    );
  }
}

test("search is as good as it was on our own catalogue, with and without word vectors", async () => {
  const questions = QUESTIONS.map(([query, ...relevant]) => ({ query, relevant }));
  assertKept("fused", await measure(CATALOGUE, questions, { dense: true }), OWN.dense);
  assertKept("words alone", await measure(CATALOGUE, questions, { dense: false }), OWN.words);
});

for (const { set, every, ...pinned } of SAMPLES) {
  test(`search is as good as it was on a sample of ${set}`, async (t) => {
    if (!existsSync(join(SETS, set))) return t.skip("the public labelled sets are not beside the repository");
    const { tools, queries } = readSet(join(SETS, set));
    const { sources, idOf } = toSources(tools);
    const sample = queries.filter((_, at) => at % every === 0);
    assertKept(
      set,
      await measure(sources, sample, { dense: true, idOf: (name) => idOf.get(name) ?? "" }),
      pinned,
    );
  });
}
