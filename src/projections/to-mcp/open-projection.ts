import { CORE_FACET } from "../../contract/index.ts";
import { needing, PackageMissing } from "../../core/index.ts";
import type { McpEndpoint } from "./endpoint.ts";
import { createToolFinder, showsAnything } from "./facet-tools.ts";
import type { McpProjectionOptions } from "./mcp-projection.ts";

/**
 * Shows the registry as the tools of a facet. The package of MCP is loaded here and not before: a node without it serves
 * everything else, and answers MCP requests with the package to add.
 */
export async function openMcpProjection(options: McpProjectionOptions): Promise<McpEndpoint> {
  const problem = await problemOfMcp();
  if (problem !== undefined) return refusingEndpoint(options, problem);
  return (await load()).createMcpProjection(options);
}

/** The reason why this node cannot serve MCP; undefined if it can. */
export async function problemOfMcp(): Promise<string | undefined> {
  try {
    await load();
    return undefined;
  } catch (error) {
    if (error instanceof PackageMissing) return error.message;
    throw error;
  }
}

function load() {
  return needing("@modelcontextprotocol/server", "MCP", () => import("./mcp-projection.ts"));
}

function refusingEndpoint(
  { registry, facet = CORE_FACET }: McpProjectionOptions,
  problem: string,
): McpEndpoint {
  const toolsIn = createToolFinder(facet);
  const error = { code: -32601, message: problem };
  return {
    problem,
    fetch: async () => Response.json({ jsonrpc: "2.0", id: null, error }, { status: 501 }),
    existsFor: (entrance) => showsAnything(toolsIn(registry.snapshot()), entrance.within(facet.reach).caller),
    recheck: async () => {},
  };
}
