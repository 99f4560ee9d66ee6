import { makeNodeId } from "../../config/index.ts";
import { TOOL_NAMES } from "../../contract/index.ts";
import { SILENT_LOG } from "../../core/index.ts";
import { type Inspected, inspectKept, LOOKED_AT } from "./inspect-kept.ts";
import type { Finding, InspectOptions } from "./inspected-source.ts";

/** What another node would bring in, or why it does not say. */
export async function inspectPeer(url: URL, { name, token, patienceMs }: InspectOptions): Promise<Inspected> {
  const { createPeerSource } = await import("../../adapters/from-call/index.ts");
  const options = {
    ...LOOKED_AT,
    name,
    url,
    token,
    allowPrivate: true,
    nodeId: makeNodeId(),
    log: SILENT_LOG,
  };
  return inspectKept("peer", { token, patienceMs }, (onSet) => createPeerSource(options, onSet));
}

/** Where an MCP server that looks like a node would take calls of other nodes; undefined if it does not look like one. */
export function peerAddressOf(url: URL, { specs }: Finding): URL | undefined {
  const names = new Set(specs.map(({ name }) => name.slice(name.indexOf("/") + 1)));
  if (!TOOL_NAMES.every((tool) => names.has(tool))) return undefined;
  const address = new URL(url);
  address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  address.pathname = url.pathname.replace(/\/mcp\/?$|\/?$/, "/call-protocol");
  return address;
}
