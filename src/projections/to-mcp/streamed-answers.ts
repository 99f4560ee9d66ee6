/** Time after which a JSON answer turns into a stream, and interval of its keep-alives. */
export interface LateSseOptions {
  readonly slowAfterMs: number;
  readonly keepAliveMs: number;
}

/** A comment that keeps a stream of events open. */
export const KEEP_ALIVE = new TextEncoder().encode(": keep-alive\n\n");

/** Headers of a stream of events. */
export const EVENT_STREAM = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

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
  return new Response(body, { headers: EVENT_STREAM });
}

/**
 * Resolves once the call has been admitted, or the stream of its response has a first event, such as a refusal. By then
 * all middleware around the call knows of a refusal.
 */
export async function onceDecided(response: Response, admitted: Promise<void>): Promise<Response> {
  if (!isEventStream(response) || !response.body) return response;
  const reader = response.body.getReader();
  const first = reader.read();
  await Promise.race([admitted, first.catch(() => {})]);
  let next: typeof first | undefined = first;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await (next ?? reader.read());
        next = undefined;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

/** The same response; `end` is called once it has been read, or its reader has gone. */
export function onceRead(response: Response, end: () => void): Response {
  if (!isEventStream(response) || !response.body) {
    end();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.includes("text/event-stream") ?? false;
}

async function* messagesOf(response: Response): AsyncIterable<Uint8Array> {
  if (isEventStream(response) && response.body) {
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
