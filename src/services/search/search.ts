import { SERVICES } from "../../contract/index.ts";
import {
  CallError,
  createView,
  defineOperation,
  type Entry,
  type OperationSpec,
  type Registration,
  type Registry,
  Slices,
  shownName,
} from "../../core/index.ts";
import { callerOf, cutAtSentence, typesOf } from "./hit.ts";
import { pageOfNamespace } from "./list.ts";
import { costOf, fitGroups, fitHits, fitNamespaces } from "./reply.ts";
import type { SearchIndex, SearchRequest, SearchResult } from "./search-index.ts";

const HITS = 10;
/** Several queries get fewer hits each, but never less than this. */
const FEWEST_HITS = 3;
const NAMESPACES_FROM = 30;

/** Options of the search service. */
interface SearchOptions {
  readonly registry: Registry;
  readonly index: SearchIndex;
  /** Token budget of a reply of ten hits; more hits may cost more. */
  readonly budgetTokens: number;
}

type Filter = Omit<SearchRequest, "most">;

interface Group {
  readonly query: string;
  readonly specs: readonly OperationSpec[];
  readonly confidence: number;
  readonly near: readonly string[];
}

/** `services/search`: operations by what they do; without a query, those of a namespace, or the namespaces there are. */
export function defineSearch({ registry, index, budgetTokens }: SearchOptions): Registration {
  const slices = new Slices();
  return defineOperation({
    name: "services/search",
    type: "query",
    description:
      "Finds operations by what they do. Ask for one capability at a time, or for several in one call. Without a query it lists the namespace that is given, or shows the namespaces.",
    inputSchema: SERVICES.search.input,
    outputSchema: SERVICES.search.output,
    handler({ query, namespace, type, limit, cursor }, context) {
      const types = type === undefined ? undefined : typesOf(type);
      const filter: Filter = { caller: callerOf(context), namespace, types };
      if (Array.isArray(query)) return answerGroups(query.map(String), filter, limit);
      if (typeof query === "string" && query.trim() !== "")
        return answerPage(query, filter, { start: startOf(cursor), limit: limit ?? HITS });
      if (namespace === undefined) return answerMap(filter, startOf(cursor));
      return answerNamespace(namespace, filter, { cursor, limit: limit ?? HITS });
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

  /** The operations of a namespace by name. The cursor is a name, so that pages hold when operations come and go. */
  async function answerNamespace(
    namespace: string,
    filter: Filter,
    page: { readonly cursor: string | undefined; readonly limit: number },
  ) {
    const { cursor = "", limit } = page;
    if (cursor !== "" && !cursor.startsWith(`${namespace}/`)) throw badCursor(cursor);
    const view = createView(registry.snapshot(), filter.caller);
    const wanted = { namespace, types: filter.types ?? typesOf(), cursor, most: limit + 1 };
    const found = await slices.run(pageOfNamespace(view, wanted));
    const { total } = found;
    if (total === 0) return { operations: [], total, note: await noteOnNothingIn(namespace, filter) };
    const specs = found.page.slice(0, limit).map(({ spec }) => spec);
    const rest = { total, nextCursor: specs.at(-1)?.name };
    const operations = fitHits(specs, budgetFor(limit) - costOf(rest));
    const isLast = operations.length === found.page.length;
    return { operations, total, ...(!isLast && { nextCursor: operations.at(-1)?.name }) };
  }

  async function noteOnNothingIn(namespace: string, { caller, types }: Filter) {
    const all = (await index.namespaces(caller, { types })).map(({ name }) => name);
    const nothing = `There is nothing in a namespace ${JSON.stringify(shownName(namespace))}.`;
    return all.length === 0 ? nothing : `${nothing} ${namespacesHere(all)} ${listOne(all)}.`;
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

/** The position that a cursor of a search says. */
function startOf(cursor = "0"): number {
  if (!/^[0-9]{1,6}$/.test(cursor)) throw badCursor(cursor);
  return Number(cursor);
}

function badCursor(cursor: string): CallError {
  return new CallError(
    "INVALID_INPUT",
    `${JSON.stringify(shownName(cursor))} is not a cursor of this search. Pass the nextCursor of the page before, with the same query and namespace, or leave it out.`,
  );
}

/** Below this the best is a guess. */
const WEAK = 0.42;
const MAX_NAMED = 3;
const MAX_QUERY = 40;
/** Maximum characters of shown names; the first name is always shown. */
const MAX_LETTERS = 120;

/** A note for the agent on an answer that is probably wrong; undefined if it looks right. */
async function noteOn(answer: {
  readonly confidence: number;
  /** The namespaces of what was found, best first. */
  readonly near: Iterable<string>;
  /** The namespaces that the caller sees. */
  readonly all: () => Promise<readonly string[]>;
}): Promise<string | undefined> {
  if (answer.confidence >= WEAK) return undefined;
  const near = first([...new Set(answer.near)], MAX_NAMED);
  if (near.length > 0) {
    return `Nothing fits well. The nearest namespaces: ${near.join(", ")}. ${listOne(near)}, or say it in other words.`;
  }
  const all = await answer.all();
  return all.length === 0
    ? "Nothing found."
    : `Nothing found. ${namespacesHere(all)} ${listOne(all)}, or say it in other words.`;
}

function namespacesHere(all: readonly string[]): string {
  const shown = first(all, 2 * MAX_NAMED);
  const rest = all.length > shown.length ? ` and ${all.length - shown.length} more` : "";
  return `The namespaces here: ${shown.join(", ")}${rest}.`;
}

/** The advice on listing a namespace, with the first as an example. */
function listOne([namespace = ""]: readonly string[]): string {
  return `List one with {"namespace": ${JSON.stringify(namespace)}}`;
}

/** The same for several queries at once: which of them have no good answer, and where to look for it. */
function noteOnGroups(
  answers: readonly {
    readonly query: string;
    readonly confidence: number;
    readonly near: Iterable<string>;
  }[],
): string | undefined {
  const weak = answers.filter(({ confidence }) => confidence < WEAK);
  if (weak.length === 0) return undefined;
  const named = weak.map(({ query, near }) => {
    const namespaces = first([...new Set(near)], MAX_NAMED);
    const where = namespaces.length > 0 ? ` (nearest namespaces: ${namespaces.join(", ")})` : "";
    return `"${cutAtSentence(query, MAX_QUERY)}"${where}`;
  });
  return `Nothing fits well for ${named.join(", ")}. Say it in other words, or list a namespace with {"namespace": NAME}.`;
}

/** The first names, as many as may be shown and as are short enough together. */
function first(names: readonly string[], most: number): readonly string[] {
  let letters = 0;
  const end = names.slice(0, most).findIndex((name, at) => {
    letters += name.length;
    return at > 0 && letters > MAX_LETTERS;
  });
  return names.slice(0, end === -1 ? most : end);
}
