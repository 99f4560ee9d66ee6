import { importDocument } from "../../adapters/from-openapi/index.ts";
import type { SourceSet } from "../../core/index.ts";
import { createBookshop } from "./bookshop.ts";
import { SHOP_DOCUMENT } from "./bookshop-document.ts";
import { DEMO } from "./local-operations.ts";

/**
 * What a gateway serves that has no configuration: local operations, and an API that is imported from its document like
 * any other, only that what answers is in this process.
 */
export async function createDemo(): Promise<readonly SourceSet[]> {
  const shop = createBookshop();
  const { set } = await importDocument(
    { root: SHOP_DOCUMENT, files: new Map(), fingerprint: "bookshop" },
    {
      name: "shop",
      headers: {},
      external: ["*"],
      scopes: [],
      public: true,
      operations: {},
      timeoutMs: 10_000,
      outbound: {
        async send({ method, url, body, signal }) {
          const {
            status,
            headers,
            body: answer,
          } = await shop({
            method,
            url: new URL(url),
            body: typeof body === "string" ? body : "",
            signal: signal ?? undefined,
          });
          const response = new Response(answer);
          return {
            status,
            headers: new Headers(headers),
            body: {
              bytes: () => response.bytes(),
              text: () => response.text(),
              stream: () => response.body ?? new ReadableStream(),
              cancel: async () => response.body?.cancel(),
            },
          };
        },
      },
    },
  );
  return [...DEMO, set];
}
