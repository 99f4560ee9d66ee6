import { join } from "node:path";
import { serveConfig } from "../../../operator/index.ts";
import { type Invocation, stopped } from "../../command.ts";
import { configOptionsOf } from "../../options.ts";
import { withProgress } from "../../terminal.ts";
import { shellWord } from "../../text.ts";
import { bannerOf } from "./banner.ts";

/** Time in which clients may still send a last request over an open connection. */
const LINGER_MS = 500;

/** Runs the gateway until the program is asked to stop. */
export async function runServe(invocation: Invocation): Promise<void> {
  const { terminal, stop, env } = invocation;
  const options = await configOptionsOf(invocation);
  const writeLog = (line: string) => {
    terminal.status("");
    terminal.printError(readableLine(line));
  };
  const starting = withProgress(terminal, "Bringing in the sources", () =>
    serveConfig({
      ...options,
      signal: stop,
      tools: env.PINHOLE_TOOLS,
      writeLog: terminal.isWatched ? writeLog : undefined,
    }),
  );
  // It also arrives when the terminal closes, and the gateway keeps running.
  const hangUp = () =>
    void starting.then(
      (serving) => serving.reload(),
      () => {},
    );
  process.on("SIGHUP", hangUp);
  try {
    const serving = await starting;
    terminal.print(bannerOf({ ...serving, program: programFromSource() }, terminal));
    await stopped(stop);
    terminal.print("Stopping: running calls may finish.");
    await serving.close({ lingerMs: LINGER_MS });
  } finally {
    process.off("SIGHUP", hangUp);
  }
}

/** In a clone nothing is installed as `pinhole`, and the Node of the machine may be too old; this one is not. */
function programFromSource(): string | undefined {
  if (!import.meta.filename.endsWith(".ts")) return undefined;
  return [process.execPath, join(import.meta.dirname, "../../main.ts")].map(shellWord).join(" ");
}

/** Fields of every log line. */
interface Entry {
  readonly time: string;
  readonly level: string;
  readonly message: string;
}

/** Formats a JSON log line for a terminal: time, level, message and fields. */
export function readableLine(line: string): string {
  const { time, level, message, ...fields } = JSON.parse(line) as Entry;
  const known = Object.entries(fields).map(([key, value]) => `${key}=${fieldText(value)}`);
  return [time.slice(11, 19), level.padEnd(5), message, ...known].join(" ");
}

/** In quotes unless it is a plain word, so that a value cannot look like another field. */
function fieldText(value: unknown): string {
  return typeof value === "string" && /^[\w@%+:,./-]+$/.test(value) ? value : JSON.stringify(value);
}
