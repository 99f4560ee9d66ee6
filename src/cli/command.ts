/** An option of a command: `--name`. */
export interface Option {
  /** Placeholder of the value in help, such as FILE; an option without it is a switch. */
  readonly value?: string;
  readonly description: string;
  /** The default, for help only. */
  readonly default?: string;
}

/** A positional argument of a command. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  /** The allowed values, if there are few. */
  readonly choices?: readonly string[];
  /** True: the command makes sense without it. */
  readonly optional?: boolean;
  /** Takes all words that follow as one text; only for the last. */
  readonly rest?: boolean;
}

/** One command of the program. Parsing and help are derived from it. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Further paragraphs of help. */
  readonly description?: string;
  readonly examples: readonly { readonly line: string; readonly meaning: string }[];
  readonly arguments?: readonly Argument[];
  readonly options: Options;
  /** Further options that are known only once something heavy is loaded, such as the keys of the configuration. */
  readonly lateOptions?: () => Promise<Options>;
  /** True: it heeds `stop` and has something to finish then. Others are left at once, whatever they are doing. */
  readonly endsItself?: boolean;
  /** Meaning of the exit codes other than 0, 1 and 2, for help. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /**
   * A returned number is the exit code. Throws a UsageError for a wrong command line, and any other
   * error for what fails.
   */
  readonly run: (invocation: Invocation) => unknown;
}

/** The exit code if it is not 0. */
export type Outcome = number | undefined;

/** The options of a command, by name. */
export type Options = Readonly<Record<string, Option>>;

/** A parsed command line and its surroundings. */
export interface Invocation extends Surroundings {
  readonly arguments: Readonly<Record<string, string>>;
  /** The arguments word by word, as typed. */
  readonly words: readonly string[];
  /** The options that were given with a value. */
  readonly options: Readonly<Record<string, string>>;
  /** The options without value that were given. */
  readonly switches: ReadonlySet<string>;
  /** All commands of the program, for one that is about them. */
  readonly commands: readonly Command[];
}

/** Surroundings of the program. */
export interface Surroundings {
  readonly terminal: Terminal;
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the program is asked to stop. */
  readonly stop: AbortSignal;
}

/** Output of a command, in whole lines. */
export interface Terminal {
  print(text: string): void;
  printError(text: string): void;
  /** Maximum width of a line. */
  readonly columns: number;
  /** The text in bold, if the terminal can show it. */
  emphasise(text: string): string;
  /** Shows a status line that the next line replaces; only at a terminal. */
  status(text: string): void;
  /** True if the error output is a terminal. */
  readonly isWatched: boolean;
  /** Aborts when the reader of the output is gone. */
  readonly gone: AbortSignal;
  /** Asks for one line; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** The program: its commands and common help. */
export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly commands: readonly Command[];
}

/** A failure as JSON, in the same form as every protocol has it. */
export interface FailureJson {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: unknown;
}

/** Thrown if a command fails for a reason with its own exit code. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  readonly exitCode: number;
  /** The error for programs, if it has more than the message. */
  readonly json: FailureJson | undefined;

  constructor(exitCode: number, message: string, json?: FailureJson) {
    super(message);
    this.exitCode = exitCode;
    this.json = json;
  }
}

/** Thrown for a wrong command line; the message has the correct form. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Settles once the program is asked to stop. */
export function stopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener("abort", () => resolve(), { once: true });
  });
}
