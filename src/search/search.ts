import {
  defineOperation,
  type OperationSpec,
  type Registration,
  type Registry,
  type View,
} from "../core/index.ts";
import { HIT_SCHEMA, type Hit, toHit } from "./hit.ts";
import { viewOf } from "./view-of.ts";
import { matchWords } from "./word-match.ts";

const TYPE = { enum: ["query", "mutation", "subscription"] } as const;

interface Filter {
  readonly namespace: string | undefined;
  readonly types: readonly unknown[];
}

/** `services/search`: operations by what they do; without a query, the namespaces there are. */
export function defineSearch(registry: Registry): Registration {
  return defineOperation({
    name: "services/search",
    type: "query",
    description:
      "Finds operations by what they do. Ask for one capability at a time, or for several in one call; without a query it shows the namespaces.",
    inputSchema: {
      type: "object",
      properties: {
        query: {
          description: "What you want to do, or up to 8 such texts",
          anyOf: [{ type: "string" }, { type: "array", items: { type: "string" }, minItems: 1, maxItems: 8 }],
        },
        namespace: { type: "string", description: "Only this namespace" },
        type: {
          description: "Only operations of this type, or of these types",
          anyOf: [TYPE, { type: "array", items: TYPE }],
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 50,
          description: "Hits for each query, 10 if not given",
        },
        cursor: { type: "string", pattern: "^[0-9]{1,6}$", description: "nextCursor of the page before" },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: {
        operations: { type: "array", items: HIT_SCHEMA },
        total: { type: "integer" },
        nextCursor: { type: "string" },
        groups: { type: "array", items: { type: "object" } },
        namespaces: { type: "array", items: { type: "object" } },
      },
    },
    handler({ query, namespace, type, limit = 10, cursor = "0" }, context) {
      const view = viewOf(registry, context);
      const filter = { namespace, types: type === undefined ? TYPE.enum : [type].flat() };
      if (Array.isArray(query)) return { groups: searchEach(query.map(String), filter, { view, limit }) };
      if (typeof query !== "string" || query.trim() === "") return { namespaces: mapOf(view, filter) };
      const hits = rank(query, filter, view);
      const start = Number(cursor);
      const end = start + limit;
      return {
        operations: hits.slice(start, end).map(toHit),
        total: hits.length,
        ...(hits.length > end && { nextCursor: String(end) }),
      };
    },
  });
}

function rank(query: string, { namespace, types }: Filter, view: View): readonly OperationSpec[] {
  const specs: OperationSpec[] = [];
  for (const { registration } of view.visible(namespace)) {
    if (types.includes(registration.spec.type)) specs.push(registration.spec);
  }
  return matchWords(query, specs);
}

/** One group a query; what an earlier group shows is not shown again. */
function searchEach(
  queries: readonly string[],
  filter: Filter,
  { view, limit }: { readonly view: View; readonly limit: number },
): { readonly query: string; readonly operations: readonly Hit[] }[] {
  const shown = new Set<string>();
  return queries.map((query) => {
    const fresh = rank(query, filter, view).filter(({ name }) => !shown.has(name));
    const operations = fresh.slice(0, limit).map(toHit);
    for (const { name } of operations) shown.add(name);
    return { query, operations };
  });
}

/** The namespaces with something in them for this caller. */
function mapOf(view: View, { namespace, types }: Filter) {
  const counts = new Map<string, { readonly description: string; operations: number }>();
  for (const { registration, source } of view.visible(namespace)) {
    if (!types.includes(registration.spec.type)) continue;
    const known = counts.get(registration.spec.namespace);
    if (known) known.operations++;
    else counts.set(registration.spec.namespace, { description: source.description ?? "", operations: 1 });
  }
  return [...counts].map(([name, { description, operations }]) => ({ name, description, operations }));
}
