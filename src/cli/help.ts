import type { Argument, Command, Program, Terminal } from "./command.ts";
import { HELP_OPTION, VERSION_OPTION } from "./parse.ts";
import { wrap } from "./text.ts";

const INDENT = 2;
const GAP = 2;
const NARROWEST = 40;
const WIDEST = 100;
/** Number of examples in the help of the program; each command has its own. */
const FIRST_STEPS = 7;

type Row = readonly [left: string, right: string];
type Look = Pick<Terminal, "columns" | "emphasise">;

/** The help of the whole program: its commands and first examples. */
export function helpOfProgram({ name, summary, commands }: Program, look: Look): string {
  return join([
    wrap(summary, widthOf(look)),
    usage([name, "<command>", "[options]"], look),
    section(
      "Commands",
      [
        ...commands.map((command): Row => [command.name, command.summary]),
        ["help", "Shows the help of a command."],
      ],
      look,
    ),
    section(
      "Options",
      [
        [`-${HELP_OPTION.short}, --${HELP_OPTION.name}`, "Shows this help."],
        [`-${VERSION_OPTION.short}, --${VERSION_OPTION.name}`, "Shows the version."],
      ],
      look,
    ),
    section(
      "Examples",
      commands
        .flatMap(({ examples }) => examples.slice(0, 1))
        .slice(0, FIRST_STEPS)
        .map(({ line, meaning }): Row => [line, meaning]),
      look,
    ),
    `Run ${name} help <command> for more about a command.`,
  ]);
}

/** The help of one command. */
export function helpOfCommand({ name }: Program, command: Command, look: Look): string {
  const { arguments: given = [], options, summary, description, examples, exitCodes } = command;
  return join([
    wrap(summary, widthOf(look)),
    description
      ?.split("\n\n")
      .map((paragraph) => wrap(paragraph, widthOf(look)))
      .join("\n\n"),
    usage([name, command.name, ...given.map(usageOf), "[options]"], look),
    section(
      "Arguments",
      given.map((argument): Row => [argument.name, argument.description]),
      look,
    ),
    section(
      "Options",
      [
        ...Object.entries(options).map(
          ([option, { value, description: text, default: fallback }]): Row => [
            value === undefined ? `--${option}` : `--${option} ${value}`,
            fallback === undefined ? text : `${text} Default: ${fallback}`,
          ],
        ),
        [`-${HELP_OPTION.short}, --${HELP_OPTION.name}`, "Shows this help."],
      ],
      look,
    ),
    section(
      "Exit codes",
      exitCodes === undefined
        ? []
        : Object.entries({
            0: "All went well.",
            1: "It failed.",
            2: "The command line is wrong.",
            ...exitCodes,
          }),
      look,
    ),
    section(
      "Examples",
      examples.map(({ line, meaning }): Row => [line, meaning]),
      look,
    ),
  ]);
}

/** An argument in a line of usage: in angles if it is needed, in brackets if not. */
export function usageOf({ name, rest, optional }: Argument): string {
  const text = rest ? `${name}…` : name;
  return optional ? `[${text}]` : `<${text}>`;
}

function join(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

function usage(words: readonly string[], { emphasise }: Look): string {
  return `${emphasise("Usage:")} ${words.join(" ")}`;
}

function section(title: string, rows: readonly Row[], look: Look): string {
  return rows.length === 0 ? "" : `${look.emphasise(`${title}:`)}\n${table(rows, widthOf(look))}`;
}

/** Two columns; a left side of more than half the width has a line for itself. */
function table(rows: readonly Row[], width: number): string {
  const left = Math.min(Math.floor(width / 2), Math.max(...rows.map(([text]) => text.length)));
  const indent = " ".repeat(INDENT + left + GAP);
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, width - indent.length).replaceAll("\n", `\n${indent}`);
      const start = " ".repeat(INDENT) + name.padEnd(left);
      return name.length > left ? `${start}\n${indent}${lines}` : `${start}${" ".repeat(GAP)}${lines}`;
    })
    .join("\n");
}

function widthOf({ columns }: Look): number {
  return Math.min(WIDEST, Math.max(NARROWEST, columns));
}
