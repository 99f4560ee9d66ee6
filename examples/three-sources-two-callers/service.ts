/** A service to try: `node service.ts` answers at http://127.0.0.1:4020. */
import { createServer, type Server } from "node:http";

const ITEMS: Readonly<Record<string, object>> = {
  lamp: { id: "lamp", count: 3 },
  desk: { id: "desk", count: 1 },
};

/** Starts the service. */
export function startService(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const item = ITEMS[(request.url ?? "").replace("/items/", "")];
    response
      .writeHead(item ? 200 : 404, { "content-type": "application/json" })
      .end(JSON.stringify(item ?? { message: "There is no such item." }));
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

if (import.meta.main) {
  await startService(4020);
  console.log("Stock at http://127.0.0.1:4020. Ctrl-C stops.");
}
