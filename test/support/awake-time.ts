/** How often this process looks whether it still gets its turns. */
const TICK_MS = 5;

let heldUpMs = 0;
let last = look();

// A tick that comes late although this process did not work meanwhile was kept from coming by others.
setInterval(settle, TICK_MS).unref();

/**
 * A clock, in milliseconds, that stands still while other programs keep this one from running. So a bound on what happens
 * within this process holds on a busy machine too. Work of the process itself is counted, also where it blocks.
 */
export function awakeTime(): number {
  // The tick that would tell of what just held this process up has not had its turn yet.
  settle();
  return performance.now() - heldUpMs;
}

function settle(): void {
  const now = look();
  heldUpMs += Math.max(0, now.at - last.at - TICK_MS - (now.workedMs - last.workedMs));
  last = now;
}

/** Other threads are left out: their work is not this one's. */
function look(): { readonly at: number; readonly workedMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { at: performance.now(), workedMs: (user + system) / 1_000 };
}
