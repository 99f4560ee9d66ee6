import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { childEnv } from "./child-env.ts";

const PATIENCE_MS = 60_000;
const RELAY = join(import.meta.dirname, "pty-relay.py");

/** A program in a pseudo-terminal, and a person in front of it. */
export interface PseudoTerminal {
  /** What was shown so far, without control characters. */
  screen(): string;
  /** Everything as it was sent. */
  raw(): string;
  /** Waits until the screen has something, and answers what the pattern found. */
  sees(pattern: RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
  /** Waits for the end and answers the exit code. */
  ended(): Promise<number>;
}

/** Why there is no pseudo-terminal here, if so. */
export function noPseudoTerminal(): string | false {
  return !wayTo(["true"]) && "neither python3 nor util-linux script is here to make a pseudo-terminal";
}

/** Starts a program in a pseudo-terminal. */
export function openPseudoTerminal(command: readonly string[], cwd: string): PseudoTerminal {
  const way = wayTo(command);
  if (!way) throw new Error("There is no pseudo-terminal here.");
  const env = childEnv();
  const [file = "", ...args] = way;
  const child = spawn(file, args, {
    cwd,
    env: { ...env, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close") as Promise<[number | null]>;
  let raw = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    raw += chunk;
    for (const look of watchers) look();
  });
  void ended.then(() => {
    for (const look of watchers) look();
  });
  const screen = () => stripVTControlCharacters(raw).replaceAll("\r", "");

  return {
    screen,
    raw: () => raw,
    type: (text) => void child.stdin.write(text),
    sees: (pattern) =>
      new Promise((resolve, reject) => {
        const giveUp = () => finish(() => reject(new Error(`${pattern} does not appear in:\n${screen()}`)));
        const timer = setTimeout(giveUp, PATIENCE_MS);
        const finish = (settle: () => void) => {
          clearTimeout(timer);
          watchers.delete(look);
          settle();
        };
        const look = () => {
          const found = pattern.exec(screen());
          if (found) finish(() => resolve(found));
          else if (child.exitCode !== null) giveUp();
        };
        watchers.add(look);
        look();
      }),
    async ended() {
      child.stdin.end();
      const [code] = await ended;
      return code ?? -1;
    },
  };
}

/** How a command is started in a pseudo-terminal: by Python, or by the program that records sessions. */
function wayTo(command: readonly string[]): readonly string[] | undefined {
  if (spawnSync("python3", ["-c", "import pty, os; os.waitstatus_to_exitcode"]).status === 0)
    return ["python3", RELAY, ...command];
  if (!/util-linux/.test(String(spawnSync("script", ["--version"]).stdout ?? ""))) return undefined;
  const line = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  return ["script", "--quiet", "--return", "--flush", "--command", line, "/dev/null"];
}
