import { mcpLoad } from "./mcp.ts";
import type { Bench } from "./support/bench.ts";
import { compareLoads, loadFigures, loadRatio } from "./support/compare-loads.ts";
import type { Load } from "./support/http-load.ts";
import { startServer } from "./support/processes.ts";

const BARE = "(a) bare node:http";
const MCP = "(b) Pinhole over MCP";
const CALL = "Pinhole /call";

/** A call over plain HTTP: against the bare handler of the MCP bench, and against MCP, in one run. */
export const http: Bench = {
  name: "http",
  title: "POST /call over plain HTTP, by calls at the same time",
  async run() {
    const [bare, pinhole] = await Promise.all([startServer("bare"), startServer("pinhole")]);
    try {
      const loads = { bare: mcpLoad(bare.url), mcp: mcpLoad(pinhole.url), call: callLoad(pinhole.url) };
      const results = await compareLoads(loads);
      return [
        ...loadFigures(BARE, results.bare),
        ...loadFigures(MCP, results.mcp),
        ...loadFigures(CALL, results.call),
        loadRatio(`${CALL} against ${MCP}`, { own: results.call, other: results.mcp }),
        loadRatio(`${CALL} against ${BARE}`, { own: results.call, other: results.bare }),
      ];
    } finally {
      await Promise.all([bare.stop(), pinhole.stop()]);
    }
  },
};

function callLoad(server: URL): Load {
  const text = "the text that comes back";
  return {
    url: new URL("/call", server),
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ operation: "bench/echo", input: { text } }),
    expect: text,
  };
}
