import { styleText } from "node:util";
import { askLine } from "./ask-line.ts";
import type { Terminal } from "./command.ts";

const USUAL_COLUMNS = 80;

/** The part of a stream that a terminal looks at. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The streams of a terminal. */
export interface Sides {
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
