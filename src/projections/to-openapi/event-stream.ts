import { CallError } from "../../core/index.ts";

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(": heartbeat\n\n");
// The name is for clients that look at names, the data for those that know it from streams of completions.
const END = encoder.encode("event: end\ndata: [DONE]\n\n");

/**
 * A subscription as server-sent events: each item as `data:`, then `event: end`, or `event: error` with the
 * error. An item is asked for when the reader has taken the one before, so that a slow reader slows the
 * handler down instead of filling memory; a reader that goes away ends the subscription.
 */
export function toEventStream(
  items: AsyncIterator<unknown>,
  /** Silence after which a comment shows that the stream lives. */
  { heartbeatMs }: { readonly heartbeatMs: number },
): ReadableStream<Uint8Array> {
  let open = true;
  let beat: ReturnType<typeof setInterval> | undefined;

  function close(): void {
    open = false;
    clearInterval(beat);
  }

  /** Dispatch throws only CallErrors; at any other error the stream breaks off. */
  function broken(error: unknown): never {
    close();
    throw error;
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Below zero, one heartbeat already waits for a reader that takes nothing; a second one is useless.
        beat = setInterval(() => {
          if ((controller.desiredSize ?? -1) >= 0) controller.enqueue(HEARTBEAT);
        }, heartbeatMs);
      },

      async pull(controller) {
        const event = await nextEvent(items).catch(broken);
        if (!open) return;
        controller.enqueue(event.bytes);
        beat?.refresh();
        if (!event.last) return;
        close();
        controller.close();
      },

      async cancel() {
        close();
        await items.return?.();
      },
    },
    // Nothing is read ahead: items wait in the socket, or have not been asked for.
    { highWaterMark: 0 },
  );
}

async function nextEvent(
  items: AsyncIterator<unknown>,
): Promise<{ readonly bytes: Uint8Array; readonly last: boolean }> {
  try {
    const step = await items.next();
    return step.done ? { bytes: END, last: true } : { bytes: dataOf(step.value), last: false };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { bytes: encoder.encode(`event: error\ndata: ${JSON.stringify(error)}\n\n`), last: true };
  }
}

/** JSON has no line breaks outside of its strings, and none unescaped in them, so that one line holds it. */
function dataOf(item: unknown): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(item) ?? "null"}\n\n`);
}
