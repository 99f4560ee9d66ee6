import { setTimeout as sleep } from "node:timers/promises";
import type { KeptSource, OnSet, SourceOptions, SourceSet } from "../../core/index.ts";
import type { Finding, InspectOptions } from "./inspected-source.ts";

/** A source that was looked at once, or why nothing is to be seen of it. */
export type Inspected = Finding | { readonly problem: string };

/** Everything of a source is looked at, and nothing of it is called. */
export const LOOKED_AT = {
  external: ["*"],
  scopes: [],
  public: false,
  timeoutMs: 20_000,
  refreshMs: 3_600_000,
} satisfies Omit<SourceOptions, "name"> & { readonly refreshMs: number };

/** Looks once at a source that the gateway would keep imported, and lets go of it. */
export async function inspectKept(
  kind: "mcp" | "peer",
  { token, patienceMs }: Pick<InspectOptions, "token" | "patienceMs">,
  start: (onSet: OnSet) => KeptSource,
): Promise<Inspected> {
  let set: SourceSet | undefined;
  const source = start((found) => {
    set = found;
  });
  try {
    await Promise.race([
      source.firstAttempt,
      ...(patienceMs === undefined ? [] : [sleep(patienceMs, undefined, { ref: false })]),
    ]);
    const health = source.health();
    if (health.state === "unhealthy" && health.code === "UNAUTHORIZED")
      return { kind, title: undefined, warnings: [], wants: ["token"], locked: true, specs: [] };
    if (health.state !== "healthy" || !set)
      return { problem: health.state === "unhealthy" ? health.reason : "it does not answer" };
    return {
      kind,
      title: set.source.title,
      warnings: health.leftOut,
      wants: token === undefined ? [] : ["token"],
      locked: false,
      specs: set.registrations.map(({ spec }) => spec),
    };
  } finally {
    await source.close();
  }
}
