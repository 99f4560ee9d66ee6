import type { Terminal } from "./command.ts";

const QUIET_MS = 1_000;
const STEP_MS = 250;

/** Runs some work and, at a terminal, shows a status line with its duration after one second. */
export async function withProgress<Result>(
  terminal: Pick<Terminal, "status">,
  text: string | (() => string),
  work: () => Promise<Result>,
): Promise<Result> {
  const began = Date.now();
  let shown = false;
  const timer = setInterval(() => {
    const passed = Date.now() - began;
    if (passed < QUIET_MS) return;
    shown = true;
    terminal.status(`${typeof text === "string" ? text : text()} … ${Math.floor(passed / 1_000)} s`);
  }, STEP_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (shown) terminal.status("");
  }
}
