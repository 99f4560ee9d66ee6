import { inspect } from "node:util";
import { CommandFailed, type Program, type Surroundings, UsageError } from "./command.ts";
import { helpOfCommand, helpOfProgram } from "./help.ts";
import { parseCommandLine } from "./parse.ts";

/** How a program ends. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2, stopped: 130 } as const;

/** Does what a command line asks for, and answers the exit code. */
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
    // Who stopped it knows why it did not finish.
    if (surroundings.stop.aborted) return EXIT.stopped;
    surroundings.terminal.printError(await textOf(error, surroundings));
    return exitCodeOf(error);
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
    case "run":
      return request.command.run({ ...request, ...surroundings, commands: program.commands });
  }
}

/** Our own errors say what to do; of others only the stack tells where they come from. */
async function textOf(error: unknown, { env }: Surroundings): Promise<string> {
  if (env.PINHOLE_DEBUG) return inspect(error);
  const message = error instanceof Error && error.message !== "" ? error.message : String(error);
  if (await isOurs(error)) return message;
  return `${message}\nRun it again with PINHOLE_DEBUG=1 to see where this comes from.`;
}

async function isOurs(error: unknown): Promise<boolean> {
  if (error instanceof UsageError || error instanceof CommandFailed) return true;
  const { CallError, ImportError, RegistrationError, ConfigError } = await ourErrors();
  return [CallError, ImportError, RegistrationError, ConfigError].some(
    (type) => type && error instanceof type,
  );
}

async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof CommandFailed) return error.exitCode;
  if (error instanceof UsageError) return EXIT.wrongUsage;
  const { ConfigError } = await ourErrors();
  const isWrongFlag =
    ConfigError && error instanceof ConfigError && error.problems.every(({ flag }) => flag !== undefined);
  return isWrongFlag ? EXIT.wrongUsage : EXIT.failed;
}

type OurErrors = Partial<
  Pick<typeof import("../core/index.ts"), "CallError" | "ImportError" | "RegistrationError"> &
    Pick<typeof import("../gateway/index.ts"), "ConfigError">
>;

/** Whatever threw one of these has loaded them; where they cannot be loaded, that is what went wrong. */
async function ourErrors(): Promise<OurErrors> {
  try {
    return { ...(await import("../core/index.ts")), ...(await import("../gateway/index.ts")) };
  } catch {
    return {};
  }
}
