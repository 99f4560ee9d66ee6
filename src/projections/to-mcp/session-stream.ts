import type { McpCaller } from "./caller.ts";
import type { Listed, Listeners } from "./listeners.ts";
import { EVENT_STREAM, KEEP_ALIVE } from "./streamed-answers.ts";

const CHANGED = new TextEncoder().encode(
  `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })}\n\n`,
);

/** A stream that tells a client when its own list of tools changes. */
interface ChangeStream {
  readonly response: Response;
  close(): void;
}

/**
 * Opens the stream that a session's client listens on (GET). A client that does not read is told once, however much
 * changes, and costs no more memory than that. `onEnd` is called when it is over.
 */
export function openChangeStream(
  { entrance, readmission }: McpCaller,
  {
    listeners,
    listed,
    keepAliveMs,
    onEnd,
  }: {
    readonly listeners: Listeners;
    readonly listed: Listed;
    readonly keepAliveMs: number;
    readonly onEnd: () => void;
  },
): ChangeStream {
  let hasChanged = false;
  let isOpen = true;
  let controller: ReadableStreamDefaultController<Uint8Array>;

  function tell(): void {
    hasChanged = (controller.desiredSize ?? 0) <= 0;
    if (!hasChanged) controller.enqueue(CHANGED);
  }

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(beat);
    leave();
    listeners.ended.removeEventListener("abort", close);
    onEnd();
  }

  function close(): void {
    if (isOpen) controller.close();
    end();
  }

  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      controller.enqueue(KEEP_ALIVE);
    },
    pull() {
      if (hasChanged) tell();
    },
    cancel: end,
  });
  const beat = setInterval(() => {
    if ((controller.desiredSize ?? 0) > 0) controller.enqueue(KEEP_ALIVE);
  }, keepAliveMs);
  const leave = listeners.add({ entrance, readmission, tell, end: close }, listed);
  listeners.ended.addEventListener("abort", close);
  return { response: new Response(body, { headers: EVENT_STREAM }), close };
}
