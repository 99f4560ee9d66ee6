import { SILENT_LOG, type SourceSet } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { packageVersion } from "../version.ts";
import type { Finding, InspectOptions } from "./inspected-source.ts";

const PATIENCE_MS = 20_000;

/** What an MCP server would bring in, or why there seems to be none. */
export async function inspectMcp(
  url: URL,
  { name, token, outbound }: InspectOptions & { readonly outbound: Outbound },
): Promise<Finding | { readonly problem: string }> {
  const { createMcpSource } = await import("../../adapters/from-mcp/index.ts");
  let set: SourceSet | undefined;
  const options = {
    name,
    url,
    token,
    external: ["*"],
    scopes: [],
    public: false,
    trustAnnotations: false,
    timeoutMs: PATIENCE_MS,
    refreshMs: 3_600_000,
    outbound,
    version: packageVersion(),
    log: SILENT_LOG,
  };
  const source = createMcpSource(options, (found) => {
    set = found;
  });
  try {
    await source.firstAttempt;
    const health = source.health();
    if (health.state === "unhealthy" && health.code === "UNAUTHORIZED")
      return { kind: "mcp", title: undefined, warnings: [], wants: ["token"], locked: true, specs: [] };
    if (health.state !== "healthy" || !set)
      return { problem: health.state === "unhealthy" ? health.reason : "it does not answer" };
    return {
      kind: "mcp",
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
