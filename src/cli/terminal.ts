import { createInterface } from "node:readline/promises";
import { styleText } from "node:util";
import { CommandFailed, type Terminal } from "./command.ts";

const USUAL_COLUMNS = 80;

/** The part of a stream that a terminal looks at. */
interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The streams of a terminal. */
interface Sides {
  readonly keyboard?: Screen;
  /** Stream for errors and the status line. */
  readonly side?: Screen & { write(text: string): unknown };
  /** Aborts when the output is closed. */
  readonly gone?: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The terminal of this process; bold text and questions only if it is interactive. */
export function createTerminal(
  screen: Screen = process.stdout,
  {
    keyboard = screen === process.stdout ? process.stdin : {},
    side = process.stderr,
    gone = new AbortController().signal,
    env = process.env,
  }: Sides = {},
): Terminal {
  // Such a terminal shows control sequences as characters.
  const isPlain = env.TERM === "dumb";
  const isBold = screen.isTTY && !isPlain && !env.NO_COLOR;
  return {
    print: (text) => console.log(screen.isTTY ? harmless(text) : text),
    printError: (text) => console.error(side.isTTY ? harmless(text) : text),
    // Some terminals say that they have no columns at all.
    columns: screen.columns || USUAL_COLUMNS,
    // The caller has decided already; Node would check a different stream.
    emphasise: (text) => (isBold ? styleText("bold", text, { validateStream: false }) : text),
    status(text) {
      if (side.isTTY && !isPlain)
        side.write(`\r\x1b[2K${text.slice(0, (side.columns || USUAL_COLUMNS) - 1)}`);
    },
    isWatched: side.isTTY === true,
    gone,
    ask: keyboard.isTTY && screen.isTTY ? askLine : undefined,
  };
}

/** Start and end of our own bold text. */
const BOLD: readonly string[] = ["\x1b[1m", "\x1b[22m"];
/** Characters that control a terminal or deceive the eye. */
const STEERING = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}](?:\[(?:1|22)m)?/gu;

/** Names, descriptions and results are written by others; on a screen they are shown, and steer nothing. */
function harmless(text: string): string {
  return text.replaceAll(STEERING, (found) =>
    BOLD.includes(found) ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}${found.slice(1)}`,
  );
}

/** Asks for one line at the terminal of this process. Ctrl-C ends the program without an answer. */
async function askLine(question: string): Promise<string> {
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

const QUIET_MS = 1_000;
const STEP_MS = 250;

/** Runs some work and, at a terminal, shows a status line with its duration after one second. */
export async function withProgress<Result>(
  terminal: Pick<Terminal, "status">,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const began = Date.now();
  let shown = false;
  const timer = setInterval(() => {
    const passed = Date.now() - began;
    if (passed < QUIET_MS) return;
    shown = true;
    terminal.status(`${text} … ${Math.floor(passed / 1_000)} s`);
  }, STEP_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (shown) terminal.status("");
  }
}
