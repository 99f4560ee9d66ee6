import { inspect } from "node:util";
import { CommandFailed, type FailureJson, UsageError } from "./command.ts";

/** Exit codes of the program. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2, stopped: 130 } as const;

/** A failed command: its text for people, its error for programs, and its exit code. */
export interface Failure {
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
export async function failureOf(error: unknown, isDebugging: boolean): Promise<Failure> {
  const { exitCode, json, isOurs } = await readingOf(error);
  const hint = isOurs ? "" : "\nRun it again with PINHOLE_DEBUG=1 to see where this comes from.";
  const shown = error instanceof CommandFailed ? error.message : json.message;
  return { exitCode, json, text: isDebugging ? inspect(error) : `${shown}${hint}` };
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
