import { TYPE_FILTER } from "../../contract/index.ts";
import {
  defineOperation,
  namespaceOf,
  normaliseName,
  type OperationContext,
  type OperationType,
  type Registration,
  type Registry,
  Slices,
  type Steps,
  type View,
} from "../../core/index.ts";
import { Smallest } from "./best-of.ts";
import { publicSpec, toHit, typesOf, viewOf } from "./hit.ts";

const MAX_PAGE = 500;

/**
 * `services/list`: every operation that the caller may see, by name, in pages. Whole specs say by which nodes a call would
 * go, this one first, where the node has an id: other nodes bring in nothing that leads back to them. They also say that
 * this node applies `select`, so that other nodes hand it on.
 */
export function defineList(registry: Registry, node?: string): Registration {
  const slices = new Slices();
  return defineOperation({
    name: "services/list",
    type: "query",
    description:
      "Lists every operation that you may call, in pages and by name. To find one, search is better.",
    inputSchema: {
      type: "object",
      properties: {
        namespace: { type: "string", description: "Only the operations of this namespace" },
        names: {
          type: "array",
          items: { type: "string" },
          maxItems: MAX_PAGE,
          description: "Only these, as far as there are any; all in one page",
        },
        cursor: { type: "string", description: "nextCursor of the page before" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_PAGE,
          description: "Operations a page, 100 if not given",
        },
        type: TYPE_FILTER,
        full: { type: "boolean", description: "Whole specs instead of one line each" },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: {
        operations: { type: "array", items: { type: "object" } },
        nextCursor: { type: "string" },
      },
      required: ["operations"],
    },
    async handler({ namespace, names, type, cursor = "", limit = 100, full = false }, context) {
      const types = typesOf(type);
      const shown = ({ spec, via = [] }: Registration) =>
        full
          ? { ...publicSpec(spec), ...(node !== undefined && { via: [node, ...via], selects: true }) }
          : toHit(spec);
      if (names) return { operations: named(registry, context, { names, types }).map(shown) };
      const found = await slices.run(
        pageOf(registry, context, { namespace, types, cursor, most: limit + 1 }),
      );
      const page = found.slice(0, limit);
      const operations = page.map(shown);
      return found.length > limit ? { operations, nextCursor: page.at(-1)?.spec.name } : { operations };
    },
  });
}

function named(
  registry: Registry,
  context: OperationContext,
  { names, types }: { readonly names: readonly string[] } & Pick<Page, "types">,
): readonly Registration[] {
  const view = viewOf(registry, context);
  const found = names.map((name) => view.look(normaliseName(name)));
  const open = found.flatMap((look) => (look?.sight === "open" ? [look.entry.registration] : []));
  return [...new Set(open)].filter(({ spec }) => types.includes(spec.type));
}

/** A page of the list. */
interface Page {
  readonly namespace: string | undefined;
  readonly types: readonly OperationType[];
  /** The last name of the page before, so that pages hold when operations come and go. */
  readonly cursor: string;
  readonly most: number;
}

/** Goes from namespace to namespace until a page is full: sorting all names for one page would take long. */
export function* pageOf(
  registry: Registry,
  context: OperationContext,
  { namespace, types, cursor, most }: Page,
): Steps<readonly Registration[]> {
  const view = viewOf(registry, context);
  const page: Registration[] = [];
  const all = namespace === undefined ? view.namespaces() : [namespace];
  // With the slash, for that is the order of the names themselves.
  const starts = [...all].map((each) => `${each}/`).sort();
  for (const start of starts) {
    if (start <= cursor && !cursor.startsWith(start)) continue;
    const wanted = { namespace: namespaceOf(start), types, cursor, most: most - page.length };
    page.push(...(yield* pageOfNamespace(view, wanted)).page);
    if (page.length === most) break;
  }
  return page;
}

/** A page of one namespace, and how many operations of these types the caller sees in it. */
export function* pageOfNamespace(
  view: View,
  { namespace, types, cursor, most }: Page & { readonly namespace: string },
): Steps<{ readonly page: readonly Registration[]; readonly total: number }> {
  const smallest = new Smallest<Registration>(most, ({ spec }) => spec.name);
  let total = 0;
  for (const { registration } of view.visibleIn(namespace)) {
    const { name, type } = registration.spec;
    if (types.includes(type)) {
      total++;
      if (name > cursor && smallest.wants(registration)) smallest.add(registration);
    }
    yield;
  }
  return { page: smallest.sorted(), total };
}
