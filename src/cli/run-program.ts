import type { Program, Surroundings } from "./command.ts";
import { EXIT, failureOf } from "./failure.ts";
import { helpOfCommand, helpOfProgram } from "./help.ts";
import { parseCommandLine } from "./parse.ts";
import { stopped } from "./stopped.ts";

/** Runs a command line and returns the exit code. */
export async function runProgram(
  program: Program,
  line: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  try {
    const outcome = await follow(program, line, surroundings);
    return typeof outcome === "number" ? outcome : EXIT.ok;
  } catch (error) {
    surroundings.terminal.status("");
    // A stopped command needs no message.
    if (surroundings.stop.aborted) return EXIT.stopped;
    const { terminal, env } = surroundings;
    const { exitCode, text, json } = await failureOf(error, Boolean(env.PINHOLE_DEBUG));
    // With --json a failure is JSON, too; one line, since it may end a stream of lines.
    if (line.includes("--json")) terminal.print(JSON.stringify({ error: json }));
    else terminal.printError(text);
    return exitCode;
  }
}

async function follow(
  program: Program,
  line: readonly string[],
  surroundings: Surroundings,
): Promise<unknown> {
  const { terminal } = surroundings;
  const request = await parseCommandLine(program, line);
  switch (request.kind) {
    case "version":
      return terminal.print(program.version);
    case "help":
      return terminal.print(
        request.command
          ? helpOfCommand(program, request.command, terminal)
          : helpOfProgram(program, terminal),
      );
    case "run": {
      const { command } = request;
      const run = async () => command.run({ ...request, ...surroundings, commands: program.commands });
      if (command.endsItself) return run();
      return Promise.race([run(), stopped(surroundings.stop).then(() => surroundings.stop.throwIfAborted())]);
    }
  }
}
