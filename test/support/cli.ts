import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runProgram } from "../../src/cli/run-program.ts";
import { createTerminal } from "../../src/cli/terminal.ts";

/** What stands around a command in a test. */
export interface CliSetting {
  /** Files in the folder, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers at the terminal, in order; without it, standard input is not a terminal. */
  readonly answers?: readonly string[];
}

/** How a command ended. */
export interface CliResult {
  readonly code: number;
  /** What was printed. */
  readonly out: string;
  /** What was complained about. */
  readonly errors: string;
  /** What somebody at the terminal was asked. */
  readonly asked: readonly string[];
}

/** A folder in which commands are run, one after the other. */
export interface CliFolder {
  readonly path: string;
  read(file: string): string;
  run(...line: string[]): Promise<CliResult>;
}

/** Makes a folder for commands; they run in this process, as the program would run them. */
export function createCliFolder(t: TestContext, setting: CliSetting = {}): CliFolder {
  const path = mkdtempSync(join(tmpdir(), "pinhole-cli-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(setting.files ?? {})) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  const answers = [...(setting.answers ?? [])];
  return {
    path,
    read: (file) => readFileSync(join(path, file), "utf8"),
    async run(...line) {
      const out: string[] = [];
      const errors: string[] = [];
      const asked: string[] = [];
      const ask = async (question: string) => {
        asked.push(question);
        const answer = answers.shift();
        if (answer === undefined) throw new Error(`The test has no answer to: ${question}`);
        return answer;
      };
      const terminal = {
        ...createTerminal({}),
        print: (text: string) => void out.push(text),
        printError: (text: string) => void errors.push(text),
        ask: setting.answers ? ask : undefined,
      };
      const program = { name: "pinhole", summary: "", version: "1", commands: COMMANDS };
      const surroundings = { terminal, directory: path, env: setting.env ?? {}, stop: t.signal };
      const code = await runProgram(program, line, surroundings);
      return { code, out: out.join("\n"), errors: errors.join("\n"), asked };
    },
  };
}
