import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a test runner, or the person at its terminal, adds for itself: coverage, its own protocol, colours. */
const RUNNERS_OWN: readonly string[] = ["NODE_V8_COVERAGE", "NODE_TEST_CONTEXT", "FORCE_COLOR", "NO_COLOR"];

/** Half of what it takes to start the program is spent on compiling the same files each time. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") } as const;

/** The environment for programs that tests start: the same at a terminal, in a pipe and without one. */
export function childEnv(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !RUNNERS_OWN.includes(name));
  // Node hands on where coverage goes unless the name is there, and coverage makes programs several times slower.
  return { ...COMPILE_CACHE, ...Object.fromEntries(kept), NODE_V8_COVERAGE: undefined };
}
