import { SILENT_LOG } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { packageVersion } from "../version.ts";
import { type Inspected, inspectKept } from "./inspect-kept.ts";
import type { InspectOptions } from "./inspected-source.ts";

const PATIENCE_MS = 20_000;

/** What an MCP server would bring in, or why there seems to be none. */
export async function inspectMcp(
  url: URL,
  { name, token, outbound }: InspectOptions & { readonly outbound: Outbound },
): Promise<Inspected> {
  const { createMcpSource } = await import("../../adapters/from-mcp/index.ts");
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
  return inspectKept("mcp", token, (onSet) => createMcpSource(options, onSet));
}
