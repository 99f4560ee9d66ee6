/** How much of something a test does: `npm test` must stay quick, and PINHOLE_SCALE=full shows the same at full size. */
export function scaled(small: number, full: number): number {
  return isFull() ? full : small;
}

/** Whether tests run at full size. */
export function isFull(): boolean {
  return process.env.PINHOLE_SCALE === "full";
}
