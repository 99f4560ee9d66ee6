import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Systems take the ports of outgoing connections from above this; below it a free port stays free. */
const FIRST_OF_OUTGOING = 32_768;
const FIRST = 15_000;

/**
 * A port that nobody listens on and that no outgoing connection is given, so that it can be told to others before something
 * listens there, and be taken again after a restart.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, FIRST_OF_OUTGOING);
    if (await canListen(port)) return port;
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server, "listening");
  server.listen(port, "127.0.0.1");
  try {
    await listening;
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
