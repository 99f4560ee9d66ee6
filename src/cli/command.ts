/** What a command can be told with `--name`. */
export interface Option {
  /** What stands for the value in help, such as FILE; an option without it is a switch. */
  readonly value?: string;
  readonly description: string;
  /** What holds if the option is not given, for help only. */
  readonly default?: string;
}

/** What a command can be told by position. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  /** The only values, where there are few. */
  readonly choices?: readonly string[];
  /** True: the command makes sense without it. */
  readonly optional?: boolean;
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
  readonly options: Options;
  /** Further options that are known only once something heavy is loaded, such as the keys of the configuration. */
  readonly lateOptions?: () => Promise<Options>;
  /** True: it heeds `stop` and has something to finish then. Others are left at once, whatever they are doing. */
  readonly endsItself?: boolean;
  /** What the exit codes beside 0, 1 and 2 mean, for help. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /**
   * A number that it answers is the exit code. Throws a UsageError for what it cannot make sense of, and any other
   * error for what fails.
   */
  readonly run: (invocation: Invocation) => unknown;
}

/** The exit code where it is not 0. */
export type Outcome = number | undefined;

/** The options of a command, by name. */
export type Options = Readonly<Record<string, Option>>;

/** A command as it was typed, and where. */
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
  /** Shows what is going on in a line that the next one takes the place of; nothing where nobody watches. */
  status(text: string): void;
  /** Whether a person sees the side of complaints as they come. */
  readonly isWatched: boolean;
  /** Aborts when nobody reads any more what is printed. */
  readonly gone: AbortSignal;
  /** Asks for one line; undefined where nobody is there to answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** The commands and what is said about all of them. */
export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly commands: readonly Command[];
}

/** How a failure looks to programs: as an error does on every wire. */
export interface FailureJson {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: unknown;
}

/** Thrown where a command fails for a reason that has an exit code of its own. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  readonly exitCode: number;
  /** What programs are told, where that is more than the message. */
  readonly json: FailureJson | undefined;

  constructor(exitCode: number, message: string, json?: FailureJson) {
    super(message);
    this.exitCode = exitCode;
    this.json = json;
  }
}

/** Thrown for a command line that makes no sense; the message says what would. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
