/** What a test runner, or the person at its terminal, adds for itself: coverage, its own protocol, colours. */
const RUNNERS_OWN: readonly string[] = ["NODE_V8_COVERAGE", "NODE_TEST_CONTEXT", "FORCE_COLOR", "NO_COLOR"];

/** The environment for programs that tests start: the same at a terminal, in a pipe and without one. */
export function childEnv(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !RUNNERS_OWN.includes(name));
  // Node hands on where coverage goes unless the name is there, and coverage makes programs several times slower.
  return { ...Object.fromEntries(kept), NODE_V8_COVERAGE: undefined };
}
