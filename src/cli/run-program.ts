import { inspect } from "node:util";
import { CallError, RegistrationError } from "../core/index.ts";
import { ConfigError } from "../gateway/index.ts";
import { type Program, type Surroundings, UsageError } from "./command.ts";
import { helpOfCommand, helpOfProgram } from "./help.ts";
import { parseCommandLine } from "./parse.ts";

/** How a program ends. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2 } as const;

/** Does what a command line asks for, and answers the exit code. */
export async function runProgram(
  program: Program,
  line: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  try {
    await follow(program, line, surroundings);
    return EXIT.ok;
  } catch (error) {
    surroundings.terminal.printError(textOf(error, surroundings));
    return exitCodeOf(error);
  }
}

async function follow(program: Program, line: readonly string[], surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings;
  const request = parseCommandLine(program, line);
  switch (request.kind) {
    case "version":
      return terminal.print(program.version);
    case "help":
      return terminal.print(
        request.command
          ? helpOfCommand(program, request.command, terminal)
          : helpOfProgram(program, terminal),
      );
    case "run":
      return request.command.run({ ...request, ...surroundings });
  }
}

/** Our own errors say what to do; of others only the stack tells where they come from. */
function textOf(error: unknown, { env }: Surroundings): string {
  if (env.PINHOLE_DEBUG) return inspect(error);
  const message = error instanceof Error && error.message !== "" ? error.message : String(error);
  const isOurs = [UsageError, ConfigError, CallError, RegistrationError].some(
    (type) => error instanceof type,
  );
  return isOurs ? message : `${message}\nRun it again with PINHOLE_DEBUG=1 to see where this comes from.`;
}

function exitCodeOf(error: unknown): number {
  const isWrongFlag = error instanceof ConfigError && error.problems.every(({ flag }) => flag !== undefined);
  return error instanceof UsageError || isWrongFlag ? EXIT.wrongUsage : EXIT.failed;
}
