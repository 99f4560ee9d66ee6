import { isRecord, type UnknownRecord } from "../../../core/index.ts";
import type { PinholeNode } from "../../../operator/node/index.ts";
import { CommandFailed } from "../../command.ts";

const REVISION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** A node as an MCP client has it. */
export interface McpView {
  tools(): Promise<readonly ListedTool[]>;
  /** The result of a tool, as data. */
  call(name: string, given: object): Promise<UnknownRecord>;
}

/** A node as an MCP client sees it: only listed tools exist. */
export function createMcpView(node: PinholeNode): McpView {
  async function ask(method: string, params: { readonly name?: string } = {}): Promise<UnknownRecord> {
    const _meta = {
      [`${PREFIX}protocolVersion`]: REVISION,
      [`${PREFIX}clientCapabilities`]: {},
      [`${PREFIX}clientInfo`]: { name: "pinhole-skill", version: "1" },
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(params.name !== undefined && { "mcp-name": params.name }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
    const { result, error } = await node.mcp({ headers, body });
    if (isRecord(result)) return result;
    const reason = isRecord(error) ? error.message : "It does not answer as MCP servers do.";
    throw new CommandFailed(1, `${node.where} does not show its tools: ${reason}`);
  }

  return {
    async tools() {
      return (await ask("tools/list")).tools as readonly ListedTool[];
    },
    async call(name, given) {
      const params = { name, arguments: given };
      const { structuredContent } = await ask("tools/call", params);
      return isRecord(structuredContent) ? structuredContent : {};
    },
  };
}
