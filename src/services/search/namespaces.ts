import type { Steps } from "../../core/index.ts";
import type { Documents } from "./documents.ts";
import type { NamespaceLine } from "./reply.ts";

/** The namespaces with something visible in them, by name, and how much. */
export function* namespacesOf(
  documents: Documents,
  visible: Uint8Array,
  passes: ((document: number) => boolean) | undefined,
): Steps<readonly NamespaceLine[]> {
  const counts = new Map<string, { first: string; description: string; operations: number }>();
  for (let document = 0; document < documents.end; document++) {
    yield;
    if (visible[document] !== 1 || (passes && !passes(document))) continue;
    const entry = documents.entryOf(document);
    if (!entry) continue;
    const { name, namespace } = entry.registration.spec;
    const known = counts.get(namespace);
    const description = entry.source.description ?? "";
    if (!known) counts.set(namespace, { first: name, description, operations: 1 });
    else {
      known.operations++;
      // Where several sources share a namespace, the first name decides, whatever came in first.
      if (name < known.first) Object.assign(known, { first: name, description });
    }
  }
  return [...counts]
    .map(([name, { description, operations }]) => ({ name, description, operations }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
