#!/usr/bin/env node
import { COMMANDS } from "./commands.ts";
import { runProgram } from "./run-program.ts";
import { createTerminal } from "./terminal.ts";
import { programVersion } from "./version.ts";

// A reader such as `head` may be gone before all is written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // Who asks twice does not want to wait.
  process.on(signal, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
}

process.exitCode = await runProgram(
  {
    name: "pinhole",
    summary: "Pinhole: a gateway between AI agents and any number of tools.",
    version: programVersion(),
    commands: COMMANDS,
  },
  process.argv.slice(2),
  { terminal: createTerminal(), directory: process.cwd(), env: process.env, stop: stop.signal },
);
