const NEWLINE = 10;
const RETURN = 13;

/**
 * Passes a stream of events on as it is and breaks it with an error where a single event grows beyond a limit:
 * whoever parses it keeps an event until its end.
 */
export function limitEvents(
  maxBytes: number,
  tooLarge: () => Error,
): TransformStream<Uint8Array, Uint8Array> {
  let pending = 0;
  let endedLine = false;
  return new TransformStream({
    transform(chunk, controller) {
      const end = lastBlankLine(chunk, endedLine);
      pending = end === -1 ? pending + chunk.length : chunk.length - end;
      endedLine = chunk.at(-1) === NEWLINE;
      if (pending > maxBytes) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
}

/** Where the last empty line begins, which is what ends an event; -1 if there is none. */
function lastBlankLine(chunk: Uint8Array, endedLine: boolean): number {
  for (let at = chunk.lastIndexOf(NEWLINE); at !== -1; at = before(chunk, at)) {
    const previous = chunk[at - 1] === RETURN ? at - 2 : at - 1;
    if (previous < 0 ? endedLine : chunk[previous] === NEWLINE) return at;
  }
  return -1;
}

/** The newline before another one; counting back from below zero would begin at the end again. */
function before(chunk: Uint8Array, at: number): number {
  return at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1);
}
