import type { Bench, Figure } from "./support/bench.ts";
import { compareLoads, type LoadResults, loadFigures, loadRatio } from "./support/compare-loads.ts";
import type { Load } from "./support/http-load.ts";
import { startServer } from "./support/processes.ts";

const SERVERS = ["bare", "sdk", "pinhole"] as const;

type ServerName = (typeof SERVERS)[number];

const TITLES: Readonly<Record<ServerName, string>> = {
  bare: "(a) bare node:http",
  sdk: "(b) SDK server alone",
  pinhole: "Pinhole",
};

/** A tools/call over MCP 2026-07-28: a bare handler, the SDK's server and the gateway, in one run. */
export const mcp: Bench = {
  name: "mcp",
  title: "a tools/call over streamable HTTP, by calls at the same time",
  async run() {
    const processes = await Promise.all(SERVERS.map((name) => startServer(name)));
    const [bare, sdk, pinhole] = processes.map(({ url }) => mcpLoad(url)) as [Load, Load, Load];
    try {
      return figuresOf(await compareLoads({ bare, sdk, pinhole }));
    } finally {
      await Promise.all(processes.map((process) => process.stop()));
    }
  },
};

function figuresOf(results: LoadResults<ServerName>): Figure[] {
  const title = TITLES.pinhole;
  return [
    ...SERVERS.flatMap((name) => loadFigures(TITLES[name], results[name])),
    loadRatio(
      `${title} against ${TITLES.sdk}`,
      { own: results.pinhole, other: results.sdk },
      { atMost: 1.2, column: "16" },
    ),
    loadRatio(`${title} against ${TITLES.bare}`, { own: results.pinhole, other: results.bare }),
  ];
}

/** A tools/call of 2026-07-28 that runs the echo. */
export function mcpLoad(url: URL): Load {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "0.0.0" },
  };
  const text = "the text that comes back";
  const params = { name: "call", arguments: { operation: "bench/echo", input: { text } }, _meta: meta };
  return {
    url,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "call",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    expect: text,
  };
}
