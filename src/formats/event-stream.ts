import { createParser, type EventSourceParser } from "eventsource-parser";

/** One event of a stream of server-sent events. */
export interface ServerEvent {
  /** `message` unless the stream names it. */
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/** Thrown for an event that is larger than the limit. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
}

const MAX_EVENT_LENGTH = 4_194_304;

/** Reads server-sent events (WHATWG HTML, section 9.2.6) from pieces of text that may be cut anywhere. */
export class EventParser {
  readonly #parser: EventSourceParser;
  #events: ServerEvent[] = [];
  #failure: EventTooLarge | undefined;
  #endedWithReturn = false;
  #lastId: string | undefined;

  constructor({ maxLength = MAX_EVENT_LENGTH }: { readonly maxLength?: number } = {}) {
    const tooLarge = () => {
      this.#failure ??= new EventTooLarge(`An event is longer than ${maxLength} characters.`);
    };
    this.#parser = createParser({
      // Bounds the unfinished data at the end of a piece, not an event that ends within one.
      maxBufferSize: maxLength,
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") tooLarge();
      },
      onEvent: ({ event = "message", data, id }) => {
        if (data.length > maxLength) tooLarge();
        if (this.#failure) return;
        // The standard keeps the last id for the events that follow; the package reports it once.
        this.#lastId = id ?? this.#lastId;
        this.#events.push({ event, data, ...(this.#lastId !== undefined && { id: this.#lastId }) });
      },
    });
  }

  /** The events that end in this piece. An event that the stream leaves unfinished is dropped. */
  *push(piece: string): Iterable<ServerEvent> {
    if (piece === "") return;
    // The package holds back a final CR, because a LF may follow, and with it a finished event. We end each line at once.
    const text = this.#endedWithReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    this.#endedWithReturn = piece.endsWith("\r");
    this.#parser.feed(text.replaceAll(/\r\n?/g, "\n"));
    const events = this.#events;
    this.#events = [];
    yield* events;
    if (this.#failure) throw this.#failure;
  }
}

/** The events of a body, read on demand: a slow consumer makes the sender wait. */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  options: { readonly maxLength?: number } = {},
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  const parser = new EventParser(options);
  for await (const chunk of bytes) yield* parser.push(decoder.decode(chunk, { stream: true }));
}
