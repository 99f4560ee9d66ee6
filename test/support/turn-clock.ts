import { writeFileSync } from "node:fs";

/**
 * Loaded into a process before its program: writes the longest turn of its event loop so far, in milliseconds of processor
 * time, into the file that TURN_CLOCK names. SIGUSR2 begins anew. Other programs on the machine do not count.
 */
const file = process.env.TURN_CLOCK;
const TICK_MS = 2;
let longest = 0;
let before = process.threadCpuUsage();

function tick(): void {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  const turn = (user + system) / 1_000;
  if (turn > longest) write(turn);
}

function write(turn: number): void {
  longest = turn;
  if (file !== undefined) writeFileSync(file, String(turn));
}

if (file !== undefined) {
  setInterval(tick, TICK_MS).unref();
  process.on("SIGUSR2", () => write(0));
}
