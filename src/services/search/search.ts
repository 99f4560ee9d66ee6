import { SERVICES } from "../../contract/index.ts";
import { defineOperation, type Entry, type OperationSpec, type Registration } from "../../core/index.ts";
import { typesOf } from "./hit.ts";
import { noteOn, noteOnGroups } from "./note.ts";
import { costOf, fitGroups, fitHits, fitNamespaces } from "./reply.ts";
import type { SearchIndex, SearchRequest, SearchResult } from "./search-index.ts";

const HITS = 10;
/** Several queries get fewer hits each, but never less than this. */
const FEWEST_HITS = 3;
const NAMESPACES_FROM = 30;

/** How replies are made. */
interface SearchOptions {
  readonly index: SearchIndex;
  /** What a reply of ten hits may cost, in tokens; more hits may cost more. */
  readonly budgetTokens: number;
}

type Filter = Omit<SearchRequest, "most">;

interface Group {
  readonly query: string;
  readonly specs: readonly OperationSpec[];
  readonly confidence: number;
  readonly near: readonly string[];
}

/** `services/search`: operations by what they do; without a query, the namespaces there are. */
export function defineSearch({ index, budgetTokens }: SearchOptions): Registration {
  return defineOperation({
    name: "services/search",
    type: "query",
    description:
      "Finds operations by what they do. Ask for one capability at a time, or for several in one call; without a query it shows the namespaces.",
    inputSchema: SERVICES.search.input,
    outputSchema: SERVICES.search.output,
    handler({ query, namespace, type, limit, cursor = "0" }, { identity, connection, reach }) {
      const types = type === undefined ? undefined : typesOf(type);
      const filter: Filter = { caller: { identity, connection, reach, internal: false }, namespace, types };
      const start = Number(cursor);
      if (Array.isArray(query)) return answerGroups(query.map(String), filter, limit);
      if (typeof query !== "string" || query.trim() === "") return answerMap(filter, start);
      return answerPage(query, filter, { start, limit: limit ?? HITS });
    },
  });

  async function answerPage(
    query: string,
    filter: Filter,
    page: { readonly start: number; readonly limit: number },
  ) {
    const { start, limit } = page;
    const found = await index.search(query, { ...filter, most: start + Math.max(limit, NAMESPACES_FROM) });
    const note = start === 0 ? await noteOnPage(found, filter) : undefined;
    const wanted = found.entries.slice(start, start + limit).map(specOf);
    const rest = { total: found.total, nextCursor: String(start + limit), note };
    const operations = fitHits(wanted, budgetFor(limit) - costOf(rest));
    const end = start + operations.length;
    return {
      operations,
      total: found.total,
      ...(operations.length > 0 && found.total > end && { nextCursor: String(end) }),
      ...(note !== undefined && { note }),
    };
  }

  function noteOnPage({ confidence, entries }: SearchResult, { caller, types }: Filter) {
    return noteOn({
      confidence,
      near: entries.map((entry) => specOf(entry).namespace),
      all: async () => (await index.namespaces(caller, { types })).map(({ name }) => name),
    });
  }

  /** One group a query; what an earlier group shows is not shown again. */
  async function answerGroups(queries: readonly string[], filter: Filter, given: number | undefined) {
    const limit = given ?? Math.max(FEWEST_HITS, Math.floor(HITS / queries.length));
    const groups: Group[] = [];
    for (const query of queries) {
      const { entries, confidence } = await index.search(query, { ...filter, most: limit * queries.length });
      const specs = entries.map(specOf);
      groups.push({ query, specs, confidence, near: specs.map(({ namespace }) => namespace) });
    }
    const note = noteOnGroups(groups);
    const tokens = budgetFor(limit * queries.length);
    if (note === undefined) return { groups: fitGroups(groups, { limit, tokens }) };
    return { groups: fitGroups(groups, { limit, tokens: tokens - costOf({ note }) }), note };
  }

  async function answerMap(filter: Filter, start: number) {
    const all = await index.namespaces(filter.caller, filter);
    const namespaces = fitNamespaces(all.slice(start), budgetTokens);
    const end = start + namespaces.length;
    return { namespaces, ...(all.length > end && { nextCursor: String(end) }) };
  }

  function budgetFor(hits: number): number {
    return budgetTokens * Math.max(1, hits / HITS);
  }
}

function specOf({ registration }: Entry) {
  return registration.spec;
}
