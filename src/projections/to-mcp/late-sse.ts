/** When a JSON answer turns into a stream, and how often the stream shows that it lives. */
export interface LateSseOptions {
  readonly slowAfterMs: number;
  readonly keepAliveMs: number;
}

const KEEP_ALIVE = new TextEncoder().encode(": keep-alive\n\n");

/**
 * Answers with plain JSON when the answer is quick. Otherwise it commits to a stream of server-sent events
 * before clients and proxies give up, keeps it alive, and delivers the same message in it.
 */
export async function lateSse(answer: Promise<Response>, options: LateSseOptions): Promise<Response> {
  const quick = await within(answer, options.slowAfterMs);
  if (quick) return quick;
  let beat: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(KEEP_ALIVE);
      beat = setInterval(() => controller.enqueue(KEEP_ALIVE), options.keepAliveMs);
      try {
        for await (const chunk of messagesOf(await answer)) controller.enqueue(chunk);
        controller.close();
      } catch (error) {
        controller.error(error);
      } finally {
        clearInterval(beat);
      }
    },
    cancel() {
      clearInterval(beat);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

async function* messagesOf(response: Response): AsyncIterable<Uint8Array> {
  if (response.headers.get("content-type")?.includes("text/event-stream") && response.body) {
    yield* response.body;
    return;
  }
  const message = (await response.text()).replaceAll("\n", " ");
  yield new TextEncoder().encode(`event: message\ndata: ${message}\n\n`);
}

async function within(answer: Promise<Response>, milliseconds: number): Promise<Response | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
