#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMMANDS } from "./commands.ts";
import { EXIT, problemOfNode, runProgram } from "./run-program.ts";
import { createTerminal } from "./terminal.ts";

const tooOld = problemOfNode(process.versions.node);
if (tooOld !== undefined) {
  console.error(tooOld);
  process.exit(EXIT.failed);
}

const gone = new AbortController();
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader such as `head` may be gone before all is written, and so may the terminal.
  if (error.code === "EPIPE" || error.code === "EIO") return gone.abort();
  console.error(`The output cannot be written: ${error.message}.`);
  process.exit(EXIT.failed);
});

// A closed error output must not end a gateway.
process.stderr.on("error", () => {});

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // A second signal means: do not wait.
  process.on(signal, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
}

const code = await runProgram(
  {
    name: "pinhole",
    summary: "Pinhole: a gateway between AI agents and any number of tools.",
    version: ownVersion(),
    commands: COMMANDS,
  },
  process.argv.slice(2),
  {
    terminal: createTerminal(process.stdout, { gone: gone.signal }),
    directory: process.cwd(),
    env: process.env,
    stop: stop.signal,
  },
);
// Flush the output, unless its reader is gone; open handles, also of plugins, must not keep the program alive.
if (code !== EXIT.stopped) await Promise.all([process.stdout, process.stderr].map(written));
process.exit(code);

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}

/** Not the one of config, which takes half a second to load. */
function ownVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;
}
