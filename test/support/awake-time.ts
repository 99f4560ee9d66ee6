/** How often it is looked whether this process is still served. */
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
 * A clock, in milliseconds, that stands still while other programs keep this one from running. What happens in this process
 * within a time by this clock does so on a busy machine too, and what blocks the process is not excused.
 */
export function awakeTime(): number {
  return performance.now() - heldUpMs;
}

function look(): { readonly at: number; readonly workedMs: number } {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), workedMs: (user + system) / 1_000 };
}
