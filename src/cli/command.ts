/** What a command can be told with `--name`. */
export interface Option {
  /** What stands for the value in help, such as FILE; an option without it is a switch. */
  readonly value?: string;
  readonly description: string;
  /** What holds if the option is not given, for help only. */
  readonly default?: string;
}

/** What a command can be told by position; none is required. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  /** Takes all words that follow as one text; only for the last. */
  readonly rest?: boolean;
}

/** A line to try, and what it does. */
export interface Example {
  readonly line: string;
  readonly meaning: string;
}

/** One command of the program. Parsing and help are derived from it. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What else there is to know, in paragraphs. */
  readonly description?: string;
  readonly examples: readonly Example[];
  readonly arguments?: readonly Argument[];
  readonly options: Readonly<Record<string, Option>>;
  /** Throws a UsageError for what it cannot make sense of, and any other error for what fails. */
  readonly run: (invocation: Invocation) => Promise<void> | void;
}

/** A command as it was typed, and where. */
export interface Invocation extends Surroundings {
  readonly arguments: Readonly<Record<string, string>>;
  /** The options that were given with a value. */
  readonly options: Readonly<Record<string, string>>;
  /** The options without value that were given. */
  readonly switches: ReadonlySet<string>;
}

/** What a program has around it. */
export interface Surroundings {
  readonly terminal: Terminal;
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the program is asked to stop. */
  readonly stop: AbortSignal;
}

/** Where a command writes, in whole lines. */
export interface Terminal {
  print(text: string): void;
  printError(text: string): void;
  /** How wide a line may be. */
  readonly columns: number;
  /** The text so that it stands out, where that is possible. */
  emphasise(text: string): string;
}

/** The commands and what is said about all of them. */
export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly commands: readonly Command[];
}

/** Thrown for a command line that makes no sense; the message says what would. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
