import type { Identity } from "../model/index.ts";
import type { Snapshot } from "./snapshot.ts";

/** The scope that the operations of operators ask for. */
export const OPERATOR_SCOPE = "operator";

/** Somebody with every scope and every grant that any operation asks for. */
export function operatorOf(snapshot: Snapshot): Identity {
  const scopes = new Set<string>([OPERATOR_SCOPE]);
  const resources: Record<string, readonly string[]> = {};
  for (const namespace of snapshot.namespaces()) {
    for (const { registration } of snapshot.entriesIn(namespace)) {
      const { access } = registration.spec;
      for (const scope of [...(access.scopes ?? []), ...(access.anyScope ?? [])]) scopes.add(scope);
      if (access.resource) resources[`${access.resource.type}:*`] = ["*"];
    }
  }
  return { id: OPERATOR_SCOPE, authenticated: true, scopes: [...scopes], resources };
}
