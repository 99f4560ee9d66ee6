import { createInterface } from "node:readline/promises";
import { CommandFailed } from "./command.ts";

/** Asks for one line at the terminal of this process. Ctrl-C ends the program without an answer. */
export async function askLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new AbortController();
  // Without it a question whose input has closed would end the program with exit code 0.
  lines.once("close", () => gone.abort());
  lines.once("SIGINT", () => process.exit(130));
  try {
    return (await lines.question(question, { signal: gone.signal })).trim();
  } catch {
    throw new CommandFailed(1, "There was no answer: the input has ended.");
  } finally {
    lines.close();
  }
}
