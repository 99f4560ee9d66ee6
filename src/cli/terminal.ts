import { styleText } from "node:util";
import type { Terminal } from "./command.ts";

const USUAL_COLUMNS = 80;

/** The part of a stream that a terminal looks at. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The terminal of this process; text stands out only where a person looks at it. */
export function createTerminal(screen: Screen = process.stdout): Terminal {
  return {
    print: (text) => console.log(text),
    printError: (text) => console.error(text),
    columns: screen.columns ?? USUAL_COLUMNS,
    emphasise: (text) => (screen.isTTY ? styleText("bold", text) : text),
  };
}
