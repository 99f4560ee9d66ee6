/** Quality of a ranking, in percent. */
export interface Metrics {
  readonly ndcg10: number;
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
  readonly hit1: number;
}

/** The names of the metrics, in the order in which they are shown. */
export const METRICS = ["ndcg10", "recall1", "recall5", "recall10", "mrr", "hit1"] as const;

/** Judges one ranking of ids, best first. A repeated id counts once, at its first place. */
export function judge(ids: readonly string[], relevant: readonly string[]): Metrics {
  const wanted = new Set(relevant);
  const ranking = ids.map((id, at) => (ids.indexOf(id) === at ? id : undefined));
  const isWanted = (id: string | undefined) => id !== undefined && wanted.has(id);
  const first = ranking.findIndex(isWanted);
  const recall = (depth: number) => ranking.slice(0, depth).filter(isWanted).length / wanted.size;
  const gain = ranking
    .slice(0, 10)
    .reduce((sum, id, at) => sum + (isWanted(id) ? 1 / Math.log2(at + 2) : 0), 0);
  let ideal = 0;
  for (let at = 0; at < Math.min(10, wanted.size); at++) ideal += 1 / Math.log2(at + 2);
  return percent({
    ndcg10: gain / ideal,
    recall1: recall(1),
    recall5: recall(5),
    recall10: recall(10),
    mrr: first === -1 ? 0 : 1 / (first + 1),
    hit1: first === 0 ? 1 : 0,
  });
}

/** The mean of several. */
export function meanOf(all: readonly Metrics[]): Metrics {
  const mean = (metric: keyof Metrics) =>
    all.reduce((sum, each) => sum + each[metric], 0) / (all.length || 1);
  return fromEach(mean);
}

function percent(metrics: Metrics): Metrics {
  return fromEach((metric) => 100 * metrics[metric]);
}

function fromEach(value: (metric: keyof Metrics) => number): Metrics {
  const entries = METRICS.map((metric) => [metric, value(metric)]);
  return Object.fromEntries(entries) as Readonly<Record<(typeof METRICS)[number], number>>;
}
