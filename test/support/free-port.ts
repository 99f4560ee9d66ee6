import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Systems take the ports of outgoing connections from above this; below it a free port stays free. */
const FIRST_OF_OUTGOING = 32_768;
const FIRST = 16_384;
/** Processes that run side by side choose among different ports: every so many, by their ids. */
const STRIDE = 16;

const told = new Set<number>();

/**
 * A port that is free and that no outgoing connection is given, so that it can be told to others before something
 * listens there, and be taken again after a restart. None is told twice.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (process.pid % STRIDE) + STRIDE * randomInt((FIRST_OF_OUTGOING - FIRST) / STRIDE);
    if (told.has(port)) continue;
    told.add(port);
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
