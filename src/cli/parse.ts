import { parseArgs } from "node:util";
import { type Command, type Invocation, type Program, UsageError } from "./command.ts";

/** A parsed command line. */
export type Request =
  | { readonly kind: "version" }
  | { readonly kind: "help"; readonly command?: Command }
  | ({ readonly kind: "run"; readonly command: Command } & Given);

/** Arguments, options and switches of a command line. */
type Given = Pick<Invocation, "arguments" | "words" | "options" | "switches">;

/** Options that every command has. */
export const HELP_OPTION = { name: "help", short: "h" } as const;

/** Options of the program itself. */
export const VERSION_OPTION = { name: "version", short: "v" } as const;

/** Reads a command line; throws a UsageError that names the nearest command or option. */
export async function parseCommandLine(program: Program, line: readonly string[]): Promise<Request> {
  const [first, ...rest] = line;
  if (first === undefined) return { kind: "help" };
  if (first.startsWith("-")) return parseProgramOption(program, first);
  if (first === "help") {
    return rest[0] === undefined
      ? { kind: "help" }
      : { kind: "help", command: await findCommand(program, rest[0]) };
  }
  return parseCommand(program, await findCommand(program, first), rest);
}

async function parseProgramOption({ name, commands }: Program, option: string): Promise<Request> {
  if (isOption(option, HELP_OPTION)) return { kind: "help" };
  if (isOption(option, VERSION_OPTION)) return { kind: "version" };
  const bare = option.replace(/^-+/, "").replace(/=.*$/s, "");
  const whole = await Promise.all(commands.map(withAllOptions));
  const owner = whole.find((command) => Object.hasOwn(command.options, bare));
  if (owner) throw new UsageError(`--${bare} comes after its command: ${name} ${owner.name} --${bare}`);
  const hint = await suggest(bare, [HELP_OPTION.name, VERSION_OPTION.name], "--");
  throw new UsageError(`There is no option ${quoted(option)}. ${hint}Run ${name} --help to see all.`);
}

function isOption(
  given: string,
  { name, short }: { readonly name: string; readonly short: string },
): boolean {
  return given === `--${name}` || given === `-${short}`;
}

async function findCommand({ name, commands }: Program, verb: string): Promise<Command> {
  const found = commands.find((command) => command.name === verb);
  if (found) return withAllOptions(found);
  const names = [...commands.map((command) => command.name), "help"];
  throw new UsageError(
    `There is no command ${quoted(verb)}. ${await suggest(verb, names, "")}Run ${name} --help to see all.`,
  );
}

/** The command with its late options among the others. */
export async function withAllOptions(command: Command): Promise<Command> {
  if (!command.lateOptions) return command;
  return { ...command, options: { ...command.options, ...(await command.lateOptions()) } };
}

async function parseCommand(program: Program, command: Command, line: readonly string[]): Promise<Request> {
  // Not strict: Node's own messages do not suggest the nearest option.
  const { tokens } = parseArgs({
    args: [...line],
    options: {
      ...Object.fromEntries(
        Object.entries(command.options).map(([name, { value }]) => [
          name,
          { type: value === undefined ? "boolean" : "string" } as const,
        ]),
      ),
      [HELP_OPTION.name]: { type: "boolean", short: HELP_OPTION.short },
    },
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  if (tokens.some((token) => token.kind === "option" && token.name === HELP_OPTION.name)) {
    return { kind: "help", command };
  }

  const refuse = (problem: string): never => {
    throw new UsageError(`${problem} Run ${program.name} ${command.name} --help to see all.`);
  };
  const { arguments: known = [] } = command;
  const given = { arguments: new Map<string, string>(), options: new Map<string, string>() };
  const switches = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "positional") {
      const argument = known[given.arguments.size];
      const last = known.at(-1);
      const begun = last?.rest ? given.arguments.get(last.name) : undefined;
      if (last && begun !== undefined) given.arguments.set(last.name, `${begun} ${token.value}`);
      else if (argument) {
        const { name, choices } = argument;
        if (choices?.includes(token.value) === false)
          refuse(`${name} is one of ${choices.join(", ")}, not ${quoted(token.value)}.`);
        given.arguments.set(name, token.value);
      } else refuse(`${quoted(token.value)} is one argument too many.`);
    } else if (token.kind === "option") {
      const problem = await problemOfOption(command, token);
      if (problem !== undefined) refuse(problem);
      if (token.value === undefined) switches.add(token.name);
      else given.options.set(token.name, token.value);
    }
  }
  return {
    kind: "run",
    command,
    arguments: Object.fromEntries(given.arguments),
    words: tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])),
    options: Object.fromEntries(given.options),
    switches,
  };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

async function problemOfOption(
  { options }: Command,
  { name, rawName, value, inlineValue }: OptionToken,
): Promise<string | undefined> {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    return `There is no option ${rawName}. ${await suggest(name, [...Object.keys(options), HELP_OPTION.name], "--")}`.trim();
  }
  if (option.value === undefined) return value === undefined ? undefined : `${rawName} takes no value.`;
  const missing = value === undefined || value === "" || (value.startsWith("-") && inlineValue !== true);
  return missing ? `${rawName} needs a value: ${rawName} ${option.value}.` : undefined;
}

async function suggest(wanted: string, names: readonly string[], prefix: string): Promise<string> {
  // Loaded for mistakes only, so that correct commands start quickly.
  const { nearest } = await import("../core/index.ts");
  const [close] = nearest(wanted, names, 1);
  return close === undefined ? "" : `Did you mean ${prefix}${close}? `;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
