import { resolve } from "node:path";
import type { Config } from "../config/index.ts";
import type { RuntimeOptions } from "../runtime.ts";

/** What the configuration says about search, as the runtime takes it. */
export function searchOptionsOf(
  { dense, budgetTokens, indexFile }: Config["search"],
  directory: string,
  node?: string,
): NonNullable<RuntimeOptions["search"]> {
  return {
    dense: dense === "on",
    budgetTokens,
    node,
    ...(indexFile !== undefined && { file: resolve(directory, indexFile) }),
  };
}
