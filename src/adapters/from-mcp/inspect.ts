import { packageVersion } from "../../config/index.ts";
import { SILENT_LOG } from "../../core/index.ts";
import { type Inspected, type InspectOptions, inspectKept, LOOKED_AT } from "../source/index.ts";
import { createMcpSource } from "./mcp-source.ts";

/** What an MCP server would bring in, or why there seems to be none. */
export function inspectMcp({
  name,
  reference,
  token,
  outbound,
  patienceMs,
}: InspectOptions): Promise<Inspected> {
  const options = {
    ...LOOKED_AT,
    name,
    url: new URL(reference),
    token,
    trustAnnotations: false,
    outbound,
    version: packageVersion(),
    log: SILENT_LOG,
  };
  return inspectKept("mcp", { token, patienceMs }, (onSet) => createMcpSource(options, onSet));
}
