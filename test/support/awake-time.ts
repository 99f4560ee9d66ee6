/** How often this process looks whether it still gets its turns. */
const TICK_MS = 5;

let heldUpMs = 0;
let last = look();

// A tick that comes late although this process did not work meanwhile was kept from coming by others.
setInterval(() => {
  const now = look();
  heldUpMs += Math.max(0, now.at - last.at - TICK_MS - (now.workedMs - last.workedMs));
  last = now;
}, TICK_MS).unref();

/**
 * A clock, in milliseconds, that stands still while other programs keep this one from running. So a bound on what happens
 * within this process holds on a busy machine too. Work of the process itself is counted, also where it blocks.
 */
export function awakeTime(): number {
  return performance.now() - heldUpMs;
}

function look(): { readonly at: number; readonly workedMs: number } {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), workedMs: (user + system) / 1_000 };
}
