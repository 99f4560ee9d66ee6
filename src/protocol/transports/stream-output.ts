import type { Duplex } from "node:stream";

/** How much may wait in a socket before whatever is large waits elsewhere. */
const HIGH_WATER_BYTES = 1024 * 1024;

/** How much is gathered before the first write of a turn; each later one of the same turn waits for twice as much. */
const FIRST_BYTES = 256;
const MOST_BYTES = 16 * 1024;

/** Writes; false: wait for the `drain` of the socket before anything large is written. */
export type Gather = (write: () => void) => boolean;

/**
 * Gathers what is written within one turn into few writes to the system: a write costs as much as many small
 * envelopes. The first of them leave early, so that the other side works on them while this one makes the rest, and the
 * more there are the fewer writes each costs.
 */
export function gatherTo(socket: Duplex): Gather {
  let enough = FIRST_BYTES;
  let isWaiting = false;

  function endTurn(): void {
    isWaiting = false;
    enough = FIRST_BYTES;
    socket.uncork();
  }

  return (write) => {
    if (!isWaiting) {
      isWaiting = true;
      process.nextTick(endTurn);
    }
    if (socket.writableCorked === 0) socket.cork();
    write();
    if (socket.writableLength >= enough) {
      socket.uncork();
      enough = Math.min(enough * 2, MOST_BYTES);
    }
    return socket.writableLength < HIGH_WATER_BYTES;
  };
}
