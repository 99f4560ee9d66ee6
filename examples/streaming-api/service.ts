/** A service to try: `node service.ts` makes up prices at http://127.0.0.1:4010. */
import { createServer, type Server, type ServerResponse } from "node:http";

const FIRST: Readonly<Record<string, number>> = { ACME: 100, GLOBEX: 40 };

/** Starts the service; every change follows the one before after `pauseMs`. */
export function startService(port: number, pauseMs = 500): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://service");
    const [, symbol = "", changes] = /^\/prices\/([^/]+)(\/changes)?$/.exec(url.pathname) ?? [];
    const price = FIRST[symbol];
    if (price === undefined) return answer(response, 404, { message: `There is no share ${symbol}.` });
    if (!changes) return answer(response, 200, { symbol, price });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const count = Number(url.searchParams.get("count") ?? Number.POSITIVE_INFINITY);
    let sent = 0;
    const send = () => {
      // Up and down, so that everybody sees the same prices.
      response.write(`data: ${JSON.stringify({ symbol, price: price + (sent % 2 === 0 ? 1 : -1) })}\n\n`);
      if (++sent >= count) end();
    };
    const timer = setInterval(send, pauseMs);
    const end = () => {
      clearInterval(timer);
      response.end();
    };
    response.on("close", () => clearInterval(timer));
    send();
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

if (import.meta.main) {
  await startService(4010);
  console.log("Prices at http://127.0.0.1:4010. Ctrl-C stops.");
}
