import { createApp as create } from "../../../src/gateway/server/app.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/gateway/server/app.ts";

/** The HTTP side of the product; everything that it answers is noted. */
export const createApp: typeof create = (options) => {
  const app = create(options);
  const { fetch } = app;
  app.fetch = async (...request) => noted(await fetch(...request));
  return app;
};

function noted(response: Response): Response {
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  transcript.gaveAway(`${response.status}\n${head}`);
  if (!response.body) return response;
  const decoder = new TextDecoder();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        transcript.gaveAway(decoder.decode(chunk, { stream: true }));
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(body, response);
}
