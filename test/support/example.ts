import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runProgram } from "../../src/cli/run-program.ts";
import { createTerminal } from "../../src/cli/terminal.ts";
import { type Gateway, startGateway } from "../../src/gateway/index.ts";
import { createLog } from "../../src/observe/index.ts";

/** What differs when an example is run by a test: its ports are taken from those that are free. */
export interface ExampleOptions {
  readonly ports?: Readonly<Record<number, number>>;
}

/** Starts the gateway of an example as `pinhole serve` in its folder does, on a free port. */
export async function serveExample(
  t: TestContext,
  folder: string,
  { ports = {} }: ExampleOptions = {},
): Promise<Gateway> {
  const written = readFileSync(join(folder, "pinhole.yaml"), "utf8");
  const config = Object.entries(ports)
    .reduce((text, [usual, free]) => text.replaceAll(`:${usual}`, `:${free}`), written)
    .replaceAll(" ./", ` ${folder}/`);
  const directory = mkdtempSync(join(tmpdir(), "pinhole-example-"));
  writeFileSync(join(directory, "pinhole.yaml"), config);
  const gateway = await startGateway({
    directory,
    flags: { port: "0" },
    log: createLog("error"),
    watch: false,
  });
  t.after(async () => {
    await gateway.close();
    rmSync(directory, { recursive: true });
  });
  return gateway;
}

/**
 * Types every `$ pinhole …` line of an example's README, and compares what is printed with what the README shows; `…`
 * there matches anything within a line. Answers how many lines there were.
 */
export async function followReadme(t: TestContext, folder: string, url: string): Promise<number> {
  const blocks = readFileSync(join(folder, "README.md"), "utf8").match(/^```console\n[\s\S]*?^```$/gm) ?? [];
  const steps = blocks.flatMap((block) =>
    block
      .replace(/^```.*$/gm, "")
      .split(/^\$ /m)
      .slice(1),
  );
  let count = 0;
  for (const step of steps) {
    const [line = "", ...shown] = step.trimEnd().split("\n");
    const words = wordsOf(line);
    const at = words.indexOf("pinhole");
    // Commands that start something, or are not ours, are run by the test itself.
    if (at < 0 || words[at + 1] === "serve") continue;
    const env = Object.fromEntries(words.slice(0, at).map((word) => word.split(/=(.*)/s)));
    const printed = await type(t, words.slice(at + 1), { PINHOLE_URL: url, ...env }, folder);
    assert.match(printed, patternOf(shown.join("\n").trim()), `${line}\nprints:\n${printed}`);
    count++;
  }
  return count;
}

async function type(
  t: TestContext,
  line: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
): Promise<string> {
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const terminal = { ...createTerminal({}), print: write, printError: write };
  const program = { name: "pinhole", summary: "", version: "1", commands: COMMANDS };
  await runProgram(program, line, { terminal, directory, env, stop: t.signal });
  return lines.join("\n").trim();
}

/** The words of a command line; quotes keep words together, as in a shell. */
function wordsOf(line: string): readonly string[] {
  const parts = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return parts.map((part) => part.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

/** A shown output as a pattern; `…` matches anything within a line. */
export function patternOf(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
