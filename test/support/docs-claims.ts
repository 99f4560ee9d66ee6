import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { parseCommandLine } from "../../src/cli/parse.ts";
import { codeBlocks, type Page, proseOf } from "./docs-pages.ts";
import { ROOT, readSources } from "./source-files.ts";

/** Numbers that name something rather than claim something. */
const NAMES = [
  /`[^`]*`/g,
  /\]\([^)]*\)/g,
  /\b\d{4}-\d{2}-\d{2}\b/g,
  /\bnDCG@10\b/g,
  /\b(?:Node|OpenAPI|Swagger|RFC|OAuth|HTTP\/|MCP|TLS|decision|version) ?\d[\d.]*(?:(?:,| or| and) \d[\d.]*)*/g,
];

/** The rows, items and paragraphs of a document that have a figure and do not say what prints or checks it. */
export function unprovedFigures(page: Page): readonly string[] {
  return blocksOf(page).filter((block) => hasFigure(block) && evidenceIn(block).length === 0);
}

/** The rows and items of a document that name neither a test nor a command. */
export function unprovedItems(page: Page): readonly string[] {
  const blocks = blocksOf(page);
  const isItem = (block: string, index: number) => {
    const isHead = isRule(blocks[index + 1]) || isRule(block);
    return /^[-*|] /.test(block) && !isHead;
  };
  return blocks.filter((block, index) => isItem(block, index) && evidenceIn(block).length === 0);
}

function isRule(block = ""): boolean {
  return /^\|(?: -+ \|)+$/.test(block);
}

/** What a document names as proof and is not there. */
export function missingEvidence(page: Page): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return evidenceIn(page.text).filter((named) => {
    const script = /^npm (?:run (?:--silent )?)?(\S+)/.exec(named)?.[1];
    return script === undefined ? !existsSync(join(ROOT, named)) : !Object.hasOwn(scripts, script);
  });
}

/** The figures of a document, as they are written. */
export function figuresOf(page: Page): readonly string[] {
  return blocksOf(page).flatMap((block) => withoutNames(block).match(/\d[\d,.]*\d|\d/g) ?? []);
}

function blocksOf(page: Page): readonly string[] {
  return proseOf(page)
    .split(/\n(?=\s*(?:\n|[-*|] |\d+\. |#))/)
    .map((block) => block.trim())
    .filter((block) => block !== "" && !block.startsWith("#"));
}

function hasFigure(block: string): boolean {
  return /\d/.test(withoutNames(block).replace(/^\d+\. /, ""));
}

function withoutNames(block: string): string {
  return NAMES.reduce((text, name) => text.replaceAll(name, " "), block.replace(/^\d+\. /, ""));
}

function evidenceIn(text: string): readonly string[] {
  const named = text.matchAll(
    /\bnpm (?:run (?:--silent )?[\w:-]+|test|start)\b|\b(?:test|src|bench|examples)\/[\w./-]+\.ts\b/g,
  );
  return [...named].map(([evidence]) => evidence);
}

/** The messages that a document quotes, and that no file of the program can say: `…` matches any text. */
export function unsaidMessages(messages: readonly string[]): readonly string[] {
  const files = [...readSources("src")]
    .filter(([path]) => !path.endsWith(".test.ts"))
    .map(([, text]) => spoken(text));
  files.push(spoken(readFileSync(join(ROOT, "scripts/bootstrap.mjs"), "utf8")));
  return messages.filter((message) => {
    const parts = message
      .split("…")
      .map((part) => part.trim())
      .filter((part) => part.length > 1);
    const pattern = new RegExp(parts.map(escaped).join("[^]{0,160}?"));
    return !files.some((text) => parts.every((part) => text.includes(part)) && pattern.test(text));
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Source in which texts that are written in pieces are whole. */
function spoken(source: string): string {
  return source.replaceAll(/["`]\s*\+\s*["`]/g, "").replaceAll(/\\(["`])/g, "$1");
}

/** What is wrong with a table whose cells must each say where they were read, and when. */
export function uncitedCells(page: Page, own: string): readonly string[] {
  const cited = new Map(
    [...page.text.matchAll(/^- \*\*(\w+)\*\* (.*)$/gm)].map(([, mark = "", text = ""]) => [mark, text]),
  );
  const problems = [...cited]
    .filter(([, text]) => !/https:\/\/\S+/.test(text) || !/\b\d{4}-\d{2}-\d{2}\b/.test(text))
    .map(([mark]) => `${mark} has no address or no date`);
  const [heads = [], , ...rows] = proseOf(page)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const used = new Set<string>();
  for (const [property = "", ...cells] of rows) {
    for (const [index, cell] of cells.entries()) {
      const column = heads[index + 1] ?? "";
      const where = `${property} / ${column}`;
      if (column === own) {
        if (!/\]\([^)]+\)|`[^`]+\.ts`/.test(cell)) problems.push(`${where} names no document or test`);
        continue;
      }
      if (cell === "") continue;
      const marks = [...cell.matchAll(/\[(\w+)\]/g)].map(([, mark = ""]) => mark);
      if (marks.length === 0) problems.push(`${where} says something without a source`);
      for (const mark of marks) {
        used.add(mark);
        if (!cited.has(mark)) problems.push(`${where} cites ${mark}, which is not listed`);
      }
    }
  }
  return [
    ...problems,
    ...[...cited.keys()].filter((mark) => !used.has(mark)).map((mark) => `${mark} is cited nowhere`),
  ];
}

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
    // Text in brackets or angles is a placeholder.
    else if (!/^(?:\[.*\]|<.+>)$/.test(word))
      commands.at(-1)?.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
  }
  return commands
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
    .filter(([program]) => program === "pinhole")
    .map(([, ...words]) => words);
}
