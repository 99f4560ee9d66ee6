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
}

/** The terminal of this process; text stands out, and questions are asked, only where a person looks at it. */
export function createTerminal(
  screen: Screen = process.stdout,
  { keyboard = screen === process.stdout ? process.stdin : {}, side = process.stderr }: Sides = {},
): Terminal {
  return {
    print: (text) => console.log(text),
    printError: (text) => console.error(text),
    // Some terminals say that they have no columns at all.
    columns: screen.columns || USUAL_COLUMNS,
    // Whoever made the screen has decided already; the stream that Node would look at may be another one.
    emphasise: (text) => (screen.isTTY ? styleText("bold", text, { validateStream: false }) : text),
    status(text) {
      if (side.isTTY) side.write(`\r\x1b[2K${text.slice(0, (side.columns || USUAL_COLUMNS) - 1)}`);
    },
    ask: keyboard.isTTY && screen.isTTY ? askLine : undefined,
  };
}
