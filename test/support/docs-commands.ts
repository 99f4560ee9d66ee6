import { COMMANDS } from "../../src/cli/commands.ts";
import { parseCommandLine } from "../../src/cli/parse.ts";
import { codeBlocks, type Page, proseOf } from "./docs-pages.ts";

const PROGRAM = { name: "pinhole", summary: "", version: "1", commands: COMMANDS };
const SHELLS = new Set(["", "sh", "bash", "console"]);

/** Which `pinhole …` lines of a document the program would not take, and why. */
export async function wrongCommands(page: Page): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const line of commandLines(page)) {
    for (const words of commandsOf(line)) {
      try {
        await parseCommandLine(PROGRAM, words);
      } catch (error) {
        problems.push(`${page.path}: ${line}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  return problems;
}

/** What a document shows as typed: lines of shells, and code within a sentence that begins with the program's name. */
export function commandLines(page: Page): readonly string[] {
  const shells = codeBlocks(page).filter(({ language }) => SHELLS.has(language));
  const typed = shells.flatMap(({ language, code }) =>
    code
      .replaceAll(/\\\n\s*/g, "")
      .split("\n")
      .filter((line) => language !== "console" || line.startsWith("$ ")),
  );
  const spoken = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  return [...typed, ...spoken]
    .map((line) => line.replace(/^\$ /, "").trim())
    .filter((line) => /\bpinhole /.test(line));
}

/** The words after `pinhole` of every command in a line that is one of ours. */
function commandsOf(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const word of line.match(/(?:[^\s'"()]|'[^']*'|"[^"]*")+/g) ?? []) {
    if (word.startsWith("#")) break;
    if (/^(?:&&|\|\|?|;|>|<)$/.test(word)) commands.push([]);
    // What stands in brackets or angles is a place for something, not something.
    else if (!/^(?:\[.*\]|<.+>)$/.test(word))
      commands.at(-1)?.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
  }
  return commands
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
    .filter(([program]) => program === "pinhole")
    .map(([, ...words]) => words);
}
