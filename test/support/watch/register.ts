/**
 * Loaded before all tests: puts watchers around the few places where secrets come into a gateway and where things leave it,
 * and looks at the end of the run whether any of the first is among the second. The product knows nothing of it.
 */
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { after } from "node:test";
import { transcript } from "./transcript.ts";

const WATCHED = {
  "observe/log.ts": "log.ts",
  "config/secret.ts": "secret.ts",
  "observe/audit-file.ts": "audit-file.ts",
  "gateway/server/app.ts": "app.ts",
  "projections/to-call/call-projection.ts": "call-projection.ts",
  "identity/token.ts": "token.ts",
  "credentials/oauth/login-file.ts": "login-file.ts",
  "credentials/client-credentials.ts": "client-credentials.ts",
} as const;

// Set by the runner at a terminal, or by the person at it; what a test sees must be the same without one.
for (const name of ["FORCE_COLOR", "NO_COLOR"]) delete process.env[name];

const SRC = new URL("../../../src/", import.meta.url);
const watchers = new Map(
  Object.entries(WATCHED).map(([place, watcher]) => [
    new URL(place, SRC).href,
    new URL(watcher, import.meta.url).href,
  ]),
);

// A file that moved would not be watched, and every leak through it would pass without a word.
for (const place of watchers.keys())
  if (!existsSync(new URL(place))) throw new Error(`${place} is to be watched, and is not there.`);

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const watcher = watchers.get(resolved.url);
    return watcher === undefined || context.parentURL === watcher ? resolved : { ...resolved, url: watcher };
  },
});

// A test that calls process.exit(0) would otherwise end the run without a word and count as success.
let isOver = false;
process.on("exit", () => {
  if (isOver) return;
  process.stderr.write("The run ended before its report: a test, or code that it ran, left the process.\n");
  process.exitCode = 1;
});

after(() => {
  isOver = true;
  const { secrets, bytes, found } = transcript.scan();
  process.stdout.write(
    `Of ${secrets} secrets, ${found.length} left a gateway; it gave away ${bytes} bytes in this run.\n`,
  );
  if (found.length === 0) return;
  // The runner reports a failed hook of the whole run, but ends well all the same.
  process.on("exit", () => {
    process.exitCode = 1;
  });
  throw new Error(`Secrets left a gateway:\n\n${found.join("\n\n")}`);
});
