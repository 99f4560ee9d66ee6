/** A place in the configuration. */
export interface ConfigPlace {
  /** The path of the file as messages show it. */
  readonly file?: string;
  readonly line?: number;
  /** The flag of the command line, if the value comes from there and not from the file. */
  readonly flag?: string;
  /** The key, such as `server.port`; empty for the whole file. */
  readonly path: string;
}

/** A mistake in the configuration, and its place. */
export interface ConfigProblem extends ConfigPlace {
  readonly message: string;
}

/** A rule that a configuration breaks although each of its values fits the schema. */
export interface BrokenRule {
  readonly keys: readonly string[];
  readonly message: string;
}

/** Thrown when the configuration cannot be used; the message lists every problem, one per line. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  /** A text is one problem without a place in the file. */
  constructor(given: string | readonly ConfigProblem[]) {
    const problems = typeof given === "string" ? [{ path: "", message: given }] : given;
    const lines = problems.map(lineOf);
    const heading = `The configuration has ${lines.length} problems:`;
    super(lines.length === 1 ? lines.join() : [heading, ...lines].join("\n  "));
    this.problems = problems;
  }
}

function lineOf({ file, line, flag, path, message }: ConfigProblem): string {
  if (flag !== undefined) return `--${flag}: ${message}`;
  const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}`;
  return [place, path === "" ? message : `${path}: ${message}`].filter((part) => part !== "").join("  ");
}
