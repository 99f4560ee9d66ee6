/** The floor: node:http and the least that answers a tools/call. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { echo } from "./echo.ts";

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: number;
      params: { arguments: { input: { text: string } } };
    };
    const data = { output: echo(params.arguments.input) };
    const result = {
      resultType: "complete",
      structuredContent: data,
      content: [{ type: "text", text: JSON.stringify(data) }],
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id, result });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
});
