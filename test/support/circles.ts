/** Which file imports which. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** One shortest circle for each group of files that reach each other: `[a, b, a]`. */
export function findCircles(graph: Graph): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = [];
  const known = new Set<string>();
  for (const start of graph.keys()) {
    if (known.has(start)) continue;
    const circle = shortestPath(graph, start, start);
    if (circle === undefined) continue;
    circles.push(circle);
    for (const file of graph.keys()) {
      const sameGroup = shortestPath(graph, start, file) && shortestPath(graph, file, start);
      if (sameGroup) known.add(file);
    }
  }
  return circles;
}

/** From a file over at least one import to another file, or back to itself. */
function shortestPath(graph: Graph, from: string, to: string): readonly string[] | undefined {
  const seen = new Set<string>();
  let paths: (readonly string[])[] = [[from]];
  while (paths.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const path of paths) {
      for (const next of graph.get(path.at(-1) ?? from) ?? []) {
        if (next === to) return [...path, next];
        if (seen.has(next)) continue;
        seen.add(next);
        longer.push([...path, next]);
      }
    }
    paths = longer;
  }
  return undefined;
}
