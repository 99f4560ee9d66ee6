import type { OperationSpec } from "../../core/index.ts";
import { estimateTokens } from "../../formats/index.ts";
import { cutAtSentence, type Hit, type HitSize, toHit } from "./hit.ts";

/** Default cost of a reply of ten hits, in tokens. */
export const BUDGET_TOKENS = 600;

/** Tokens are estimated, and the estimate may be too low by this much. */
const CAUTION = 0.88;

/** A namespace costs more than this even where it has no description. */
const LEAST_LINE_TOKENS = 5;

/** Every text gets shorter before any hit is left out. */
const SIZES: readonly HitSize[] = [
  { description: 200, signature: 240 },
  { description: 150, signature: 180 },
  { description: 110, signature: 130 },
  { description: 80, signature: 100 },
  { description: 60, signature: 70 },
  { description: 40, signature: 50 },
];

/** A namespace as it is shown to callers. */
export interface NamespaceLine {
  readonly name: string;
  readonly description: string;
  readonly operations: number;
}

/** Hits that fit a budget together: shorter and shorter, in the end fewer, but at least one. */
export function fitHits(specs: readonly OperationSpec[], tokens: number): readonly Hit[] {
  let hits: readonly Hit[] = [];
  for (const size of SIZES) {
    hits = specs.map((spec) => toHit(spec, size));
    if (fits(hits, tokens)) return hits;
  }
  return fewer(hits, tokens);
}

/** The same for several groups, which share one budget; what one of them shows is not shown again. */
export function fitGroups(
  groups: readonly { readonly query: string; readonly specs: readonly OperationSpec[] }[],
  { limit, tokens }: { readonly limit: number; readonly tokens: number },
): readonly { readonly query: string; readonly operations: readonly Hit[] }[] {
  const shown = new Set<string>();
  let left = tokens;
  return groups.map(({ query: given, specs }, at) => {
    const query = cutAtSentence(given, 200);
    const fresh = specs.filter(({ name }) => !shown.has(name)).slice(0, limit);
    const operations = fitHits(fresh, left / (groups.length - at) - costOf({ query }));
    for (const { name } of operations) shown.add(name);
    left -= costOf({ query, operations });
    return { query, operations };
  });
}

/** Namespaces that fit a budget together. */
export function fitNamespaces(lines: readonly NamespaceLine[], tokens: number): readonly NamespaceLine[] {
  const most = Math.ceil(tokens / LEAST_LINE_TOKENS);
  if (lines.length > most) {
    return fewer(
      lines.slice(0, most).map((line) => ({ ...line, description: "" })),
      tokens,
    );
  }
  let shown = lines;
  for (const most of [160, 80, 40, 0]) {
    shown = lines.map((line) => ({
      ...line,
      description: most === 0 ? "" : cutAtSentence(line.description, most),
    }));
    if (fits(shown, tokens)) return shown;
  }
  return fewer(shown, tokens);
}

/** Upper bound of the cost of a part of a reply, in tokens. */
export function costOf(part: object): number {
  return estimateTokens(JSON.stringify(part)) / CAUTION;
}

function fits(parts: readonly object[], tokens: number): boolean {
  return costOf(parts) <= tokens;
}

function fewer<Part extends object>(parts: readonly Part[], tokens: number): readonly Part[] {
  let left = tokens * CAUTION;
  const count = parts.findIndex((part) => {
    left -= estimateTokens(JSON.stringify(part)) + 1;
    return left < 0;
  });
  return count === -1 ? parts : parts.slice(0, Math.max(1, count));
}
