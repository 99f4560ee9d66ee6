const NEWLINE = 10;
const RETURN = 13;

/** What breaks a stream of events. */
export interface EventLimits {
  /** How large a single event may grow: whoever parses it keeps it until its end. */
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
  /** Told how many bytes each event has, before any of them is parsed; an error where there were too many. */
  readonly tooMany: (bytes: number) => Error | undefined;
}

/** Passes a stream of events on as it is, and breaks it with an error where there is too much of it. */
export function limitEvents({
  maxBytes,
  tooLarge,
  tooMany,
}: EventLimits): TransformStream<Uint8Array, Uint8Array> {
  let pending = 0;
  let endedLine = false;
  return new TransformStream({
    transform(chunk, controller) {
      let start = 0;
      for (const end of blankLines(chunk, endedLine)) {
        const flood = tooMany(pending + end - start);
        if (flood) return controller.error(flood);
        pending = 0;
        start = end;
      }
      pending += chunk.length - start;
      endedLine = chunk.at(-1) === NEWLINE;
      if (pending > maxBytes) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
}

/** Where empty lines begin, each of which ends an event. */
function* blankLines(chunk: Uint8Array, endedLine: boolean): Iterable<number> {
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
    const previous = chunk[at - 1] === RETURN ? at - 2 : at - 1;
    if (previous < 0 ? endedLine : chunk[previous] === NEWLINE) yield at;
  }
}
