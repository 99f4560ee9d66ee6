/** A runtime in a server of `node:http`: MCP, plain HTTP and the call protocol on one port. */
import { createServer, type Server } from "node:http";
import type { Runtime } from "pinhole/core";
import { toCall, toHttp, toMcp, toNodeHandler } from "pinhole/projections";

export function withNode(runtime: Runtime): Server {
  const mcp = toNodeHandler(toMcp(runtime));
  const http = toNodeHandler(toHttp(runtime));
  const calls = toCall(runtime);
  const server = createServer((request, response) =>
    request.url === "/mcp" ? mcp(request, response) : http(request, response),
  );
  server.on("upgrade", calls.upgrade);
  server.on("close", () => calls.close(0));
  return server;
}
