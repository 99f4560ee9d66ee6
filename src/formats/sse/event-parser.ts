/** One event of a stream of server-sent events. */
export interface ServerEvent {
  /** `message` unless the stream names it. */
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/** Thrown for an event that is larger than the reader is willing to hold. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
}

const LINE_END = /\r\n|\n|\r/g;
const MAX_EVENT_LENGTH = 4_194_304;

/** Reads server-sent events (WHATWG HTML, section 9.2.6) out of pieces of text, cut anywhere. */
export class EventParser {
  readonly #maxLength: number;
  #pending = "";
  #endedWithReturn = false;
  #event = "";
  #id: string | undefined;
  #data: string[] = [];
  #length = 0;

  constructor({ maxLength = MAX_EVENT_LENGTH }: { readonly maxLength?: number } = {}) {
    this.#maxLength = maxLength;
  }

  /** The events that end in this piece. What the stream leaves unfinished is no event. */
  *push(piece: string): Iterable<ServerEvent> {
    // A line may end in CR LF, and the cut may lie between the two.
    let start = this.#endedWithReturn && piece.startsWith("\n") ? 1 : 0;
    if (piece !== "") this.#endedWithReturn = piece.endsWith("\r");
    for (const end of piece.matchAll(LINE_END)) {
      if (end.index < start) continue;
      this.#grow(end.index - start);
      const line = this.#pending + piece.slice(start, end.index);
      this.#pending = "";
      start = end.index + end[0].length;
      const event = this.#take(line);
      if (event) yield event;
    }
    this.#grow(piece.length - start);
    this.#pending += piece.slice(start);
  }

  #grow(length: number): void {
    this.#length += length;
    if (this.#length > this.#maxLength)
      throw new EventTooLarge(`An event is longer than ${this.#maxLength} characters.`);
  }

  #take(line: string): ServerEvent | undefined {
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else {
      // Only data adds up; what else a stream sends to stay alive may go on for ever.
      this.#length -= line.length;
      if (field === "event") this.#event = value;
      else if (field === "id" && !value.includes("\0")) this.#id = value;
    }
    return undefined;
  }

  #finish(): ServerEvent | undefined {
    const data = this.#data;
    const event = this.#event === "" ? "message" : this.#event;
    this.#data = [];
    this.#event = "";
    this.#length = 0;
    if (data.length === 0) return undefined;
    return { event, data: data.join("\n"), ...(this.#id !== undefined && { id: this.#id }) };
  }
}

/** The events of a body, each when it is asked for: who does not ask makes the sender wait. */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  options: { readonly maxLength?: number } = {},
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  const parser = new EventParser(options);
  for await (const chunk of bytes) yield* parser.push(decoder.decode(chunk, { stream: true }));
}
