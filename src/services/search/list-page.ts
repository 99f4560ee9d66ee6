import type { Steps } from "../../core/index.ts";
import {
  namespaceOf,
  type OperationContext,
  type OperationType,
  type Registration,
  type Registry,
} from "../../core/index.ts";
import { Smallest } from "./smallest.ts";
import { viewOf } from "./view-of.ts";

/** Which part of the list is wanted. */
export interface Page {
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
    const smallest = new Smallest<Registration>(most - page.length, ({ spec }) => spec.name);
    for (const { registration } of view.visibleIn(namespaceOf(start))) {
      const { name, type } = registration.spec;
      if (name > cursor && types.includes(type) && smallest.wants(registration)) smallest.add(registration);
      yield;
    }
    page.push(...smallest.sorted());
    if (page.length === most) break;
  }
  return page;
}
