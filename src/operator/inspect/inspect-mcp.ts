import { packageVersion } from "../../config/index.ts";
import { SILENT_LOG } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { type Inspected, inspectKept, LOOKED_AT } from "./inspect-kept.ts";
import type { InspectOptions } from "./inspected-source.ts";

/** What an MCP server would bring in, or why there seems to be none. */
export async function inspectMcp(
  url: URL,
  { name, token, outbound, patienceMs }: InspectOptions & { readonly outbound: Outbound },
): Promise<Inspected> {
  const { createMcpSource } = await import("../../adapters/from-mcp/index.ts");
  const options = {
    ...LOOKED_AT,
    name,
    url,
    token,
    trustAnnotations: false,
    outbound,
    version: packageVersion(),
    log: SILENT_LOG,
  };
  return inspectKept("mcp", { token, patienceMs }, (onSet) => createMcpSource(options, onSet));
}
