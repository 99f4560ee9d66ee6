import type { CallError } from "../../core/index.ts";

/** What is told of a body. */
interface Following {
  /** Ends the body when it aborts. */
  readonly signal: AbortSignal;
  /** Aborts the signal because the reader has left. */
  readonly abort: () => void;
  readonly toError: (thrown: unknown) => CallError;
  /** Told once: the bytes that went out, and what ended them early. Answers an error if there is one. */
  readonly end: (bytes: number, error?: CallError) => Promise<CallError | undefined>;
}

/** The same body, whose end is told. A reader of a failed one learns only that it broke off. */
export function followBody(
  body: ReadableStream<unknown>,
  { signal, abort, toError, end }: Following,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  let isOver = false;

  async function fail(thrown: unknown, controller: ReadableStreamDefaultController): Promise<void> {
    if (isOver) return;
    isOver = true;
    controller.error(brokeOff());
    reader.cancel(thrown).catch(() => {});
    await end(bytes, toError(thrown));
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      const cut = () => void fail(signal.reason, controller);
      signal.addEventListener("abort", cut, { once: true });
      if (signal.aborted) cut();
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (done) {
          isOver = true;
          if (await end(bytes)) controller.error(brokeOff());
          else controller.close();
        } else if (value instanceof Uint8Array) {
          bytes += value.byteLength;
          controller.enqueue(value);
        } else throw new TypeError("The body of an answer has parts that are not bytes.");
      } catch (error) {
        await fail(error, controller);
      }
    },
    cancel: abort,
  });
}

function brokeOff(): Error {
  return new Error("The answer broke off.");
}
