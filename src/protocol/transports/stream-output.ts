import type { Duplex } from "node:stream";

/** Bytes that may wait in a socket before large envelopes have to wait. */
const HIGH_WATER_BYTES = 1024 * 1024;

/** Bytes gathered before the first write of a turn; each later write of the turn waits for twice as many. */
const FIRST_BYTES = 256;
const MOST_BYTES = 16 * 1024;

/** Writes; false: wait for the `drain` of the socket before anything large is written. */
type Gather = (write: () => void) => boolean;

/**
 * Gathers the output of one turn into few system writes: a write costs as much as many small
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
