import { styleText } from "node:util";
import { askLine } from "./ask-line.ts";
import type { Terminal } from "./command.ts";

const USUAL_COLUMNS = 80;

/** The part of a stream that a terminal looks at. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The streams that a terminal is made of, beside the screen. */
export interface Sides {
  readonly keyboard?: Screen;
  /** Where complaints and the status line go. */
  readonly side?: Screen & { write(text: string): unknown };
  /** Aborts when nobody reads the screen any more. */
  readonly gone?: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The terminal of this process; text stands out, and questions are asked, only where a person looks at it. */
export function createTerminal(
  screen: Screen = process.stdout,
  {
    keyboard = screen === process.stdout ? process.stdin : {},
    side = process.stderr,
    gone = new AbortController().signal,
    env = process.env,
  }: Sides = {},
): Terminal {
  // Such a terminal shows what should move or look as characters.
  const isPlain = env.TERM === "dumb";
  const isBold = screen.isTTY && !isPlain && !env.NO_COLOR;
  return {
    print: (text) => console.log(screen.isTTY ? harmless(text) : text),
    printError: (text) => console.error(side.isTTY ? harmless(text) : text),
    // Some terminals say that they have no columns at all.
    columns: screen.columns || USUAL_COLUMNS,
    // Whoever made the screen has decided already; the stream that Node would look at may be another one.
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

/** How our own bold begins and ends. */
const BOLD: readonly string[] = ["\x1b[1m", "\x1b[22m"];
/** What a terminal obeys, or an eye is deceived by. */
const STEERING = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}](?:\[(?:1|22)m)?/gu;

/** Names, descriptions and results are written by others; on a screen they are shown, and steer nothing. */
function harmless(text: string): string {
  return text.replaceAll(STEERING, (found) =>
    BOLD.includes(found) ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}${found.slice(1)}`,
  );
}
