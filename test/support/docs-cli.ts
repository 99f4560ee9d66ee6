import type { Command } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { usageOf } from "../../src/cli/help.ts";
import { withAllOptions } from "../../src/cli/parse.ts";
import { plain } from "./docs-config.ts";

/** The sections of docs/cli.md, made from the records that parsing and help come from. */
export async function commandSections(commands: readonly Command[] = COMMANDS): Promise<string> {
  const whole = await Promise.all(commands.map(withAllOptions));
  const list = whole.map(({ name, summary }) => `| [\`${name}\`](#pinhole-${name}) | ${cell(summary)} |`);
  const overview = ["| command | what it does |", "| --- | --- |", ...list].join("\n");
  return [overview, ...whole.map(sectionOf)].join("\n\n");
}

function sectionOf(command: Command): string {
  const { name, summary, description, arguments: given = [], options, exitCodes = {}, examples } = command;
  const usage = given.map((argument) => ` ${usageOf(argument)}`).join("");
  const rows = [
    ...given.map(({ name: argument, description: text }) => [`\`${argument}\``, text]),
    ...Object.entries(options).map(([option, { value, description: text, default: fallback }]) => [
      `\`--${option}${value === undefined ? "" : ` ${value}`}\``,
      `${text}${fallback === undefined ? "" : ` Default: ${fallback}`}`,
    ]),
  ];
  const codes = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`);
  return [
    `## pinhole ${name}`,
    plain(`${summary}${description === undefined ? "" : ` ${description}`}`),
    `    pinhole ${name}${usage}${Object.keys(options).length > 0 ? " [options]" : ""}`,
    table(["", "meaning"], rows),
    codes.length === 0 ? "" : ["| exit code | meaning |", "| --- | --- |", ...codes].join("\n"),
    examples.map(({ line, meaning }) => `    ${line}\n        # ${meaning}`).join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const lines = [heads, heads.map(() => "---"), ...rows.map((row) => row.map(cell))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cell(text: string): string {
  return plain(text).replaceAll("|", "\\|").replaceAll("\n", " ");
}
