import type { Duplex } from "node:stream";

/** How much may wait in a socket before whatever is large waits elsewhere. */
const HIGH_WATER_BYTES = 1024 * 1024;

/** How much is gathered before it is written. */
const GATHERED_BYTES = 2 * 1024;

/**
 * Writes, and gathers what is written within one turn into few writes to the system: a write costs as much as
 * many small envelopes. They are not held back until all are there, so that the other side works on the first of
 * them while this one makes the last. False: wait for the `drain` of the socket before anything large is written.
 */
export function gather(socket: Duplex, write: () => void): boolean {
  if (socket.writableCorked === 0) {
    socket.cork();
    process.nextTick(() => socket.uncork());
  }
  write();
  if (socket.writableLength >= GATHERED_BYTES) socket.uncork();
  return socket.writableLength < HIGH_WATER_BYTES;
}
