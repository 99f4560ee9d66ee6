import { inspect } from "node:util";
import {
  CommandFailed,
  type FailureJson,
  type Program,
  type Surroundings,
  stopped,
  UsageError,
} from "./command.ts";
import { helpOfCommand, helpOfProgram } from "./help.ts";
import { parseCommandLine } from "./parse.ts";

/** Exit codes of the program. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2, stopped: 130 } as const;

/** The oldest Node that runs the built package: the HTTP client needs it (decision 001). */
export const OLDEST_NODE = "22.19";

/** Says that a version of Node is too old; the program would fail later with an obscure message. */
export function problemOfNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldest = 0, least = 0] = OLDEST_NODE.split(".").map(Number);
  if (major > oldest || (major === oldest && minor >= least)) return undefined;
  return `Pinhole needs Node ${OLDEST_NODE} or newer, and this is Node ${version}. Install a newer one from https://nodejs.org.`;
}

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

/** A failed command: its text for people, its error for programs, and its exit code. */
interface Failure {
  readonly exitCode: number;
  readonly text: string;
  readonly json: FailureJson;
}

/** Files and folders that cannot be used, in words; Node only names a call of the system. */
const SYSTEM: Readonly<Record<string, string>> = {
  EACCES: "may not be read or written. Check its permissions, and those of its folder.",
  EPERM: "may not be read or written. Check its permissions, and those of its folder.",
  EROFS: "lies where nothing can be written. Choose another folder.",
  EISDIR: "is a folder. Name a file in it.",
  ENOTDIR: "lies below something that is not a folder. Check the path.",
  ENOENT: "is not there. Check the path.",
  ENOSPC: "cannot be written: the disk is full.",
};

/** Describes a thrown value. Our own errors contain advice; others need their stack. */
async function failureOf(error: unknown, isDebugging: boolean): Promise<Failure> {
  const { exitCode, json, isOurs } = await readingOf(error);
  const hint = isOurs ? "" : "\nRun it again with PINHOLE_DEBUG=1 to see where this comes from.";
  const message = error instanceof CommandFailed ? error.message : json.message;
  return { exitCode, json, text: isDebugging ? inspect(error) : `${message}${hint}` };
}

interface Reading {
  readonly exitCode: number;
  readonly json: FailureJson;
  readonly isOurs: boolean;
}

async function readingOf(error: unknown): Promise<Reading> {
  const { message } = error instanceof Error && error.message !== "" ? error : { message: String(error) };
  const failed = { exitCode: EXIT.failed, isOurs: true };
  const json = (code: string, more: object = {}) => ({ code, message, retryable: false, ...more });
  if (error instanceof UsageError) return { ...failed, exitCode: EXIT.wrongUsage, json: json("WRONG_USAGE") };
  if (error instanceof CommandFailed)
    return { ...failed, exitCode: error.exitCode, json: error.json ?? json("FAILED") };
  const { CallError, ImportError, RegistrationError, ConfigError } = await ourErrors();
  if (ConfigError && error instanceof ConfigError) {
    const { problems } = error;
    if (problems.every(({ flag }) => flag !== undefined))
      return { ...failed, exitCode: EXIT.wrongUsage, json: json("WRONG_USAGE") };
    return { ...failed, json: json("WRONG_CONFIG", { details: { problems } }) };
  }
  if (CallError && error instanceof CallError) return { ...failed, json: error.toJSON() };
  if (ImportError && error instanceof ImportError) return { ...failed, json: json(error.code) };
  if (RegistrationError && error instanceof RegistrationError) return { ...failed, json: json("FAILED") };
  const sentence = systemSentence(error);
  if (sentence !== undefined) return { ...failed, json: { ...json("FAILED"), message: sentence } };
  return { ...failed, isOurs: false, json: json("FAILED") };
}

function systemSentence(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  const sentence = SYSTEM[code ?? ""];
  return path === undefined || sentence === undefined ? undefined : `${path} ${sentence}`;
}

type OurErrors = Partial<
  Pick<typeof import("../core/index.ts"), "CallError" | "ImportError" | "RegistrationError"> &
    Pick<typeof import("../config/index.ts"), "ConfigError">
>;

/** Loaded late: a module that threw one of these errors has loaded them already. Empty if they cannot be loaded, which is then the failure itself. */
async function ourErrors(): Promise<OurErrors> {
  try {
    return { ...(await import("../core/index.ts")), ...(await import("../config/index.ts")) };
  } catch {
    return {};
  }
}
