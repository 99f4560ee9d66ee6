import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The environment variable that tells clients where to wait for their turn. */
const PORT = "PINHOLE_CONFORMANCE_TURNS";

/**
 * The suite starts all its clients at once; on a small machine most of them would miss their timeouts. Does the work with an
 * environment for the suite, in which so many clients go on at a time.
 */
export async function withTurns<Result>(
  most: number,
  work: (env: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const waiting: Socket[] = [];
  let running = 0;
  const letIn = () => {
    if (running >= most) return;
    const client = waiting.shift();
    if (!client) return;
    running++;
    client.once("close", () => {
      running--;
      letIn();
    });
    client.write("go");
  };
  const server = createServer((client) => {
    client.on("error", () => {});
    // A client ends by itself, which is nothing to answer, but has to be noticed.
    client.resume();
    waiting.push(client);
    letIn();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await work({ [PORT]: String((server.address() as AddressInfo).port) });
  } finally {
    server.close();
    for (const client of waiting) client.destroy();
  }
}

/** Waits for the turn of this client, which lasts as long as the process; at once where nobody gives turns. */
export async function myTurn(): Promise<void> {
  const port = process.env[PORT];
  if (port === undefined) return;
  const turn = connect(Number(port), "127.0.0.1");
  await once(turn, "data");
  turn.unref();
}
