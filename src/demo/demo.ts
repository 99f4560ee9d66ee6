import { setTimeout } from "node:timers/promises";
import { importDocument } from "../adapters/from-openapi/index.ts";
import { CallError, defineOperation, definePlugin, type SourceSet } from "../core/index.ts";
import { createBookshop } from "./bookshop.ts";
import { SHOP_DOCUMENT } from "./bookshop-document.ts";

const now = defineOperation({
  name: "time/now",
  type: "query",
  description: "Tells the current date and time in a time zone.",
  tags: ["clock", "date", "timezone"],
  inputSchema: {
    type: "object",
    properties: {
      timeZone: { type: "string", description: "IANA name such as Europe/Berlin; UTC if not given" },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    title: "moment",
    properties: { iso: { type: "string" }, local: { type: "string" }, timeZone: { type: "string" } },
    required: ["iso", "local", "timeZone"],
  },
  errors: [{ code: "UNKNOWN_TIME_ZONE", description: "There is no time zone of that name", httpStatus: 422 }],
  handler: ({ timeZone = "UTC" }) => {
    const moment = new Date();
    return { iso: moment.toISOString(), local: formatIn(timeZone, moment), timeZone };
  },
});

const textStats = defineOperation({
  name: "text/stats",
  type: "query",
  description: "Counts the characters, words, sentences and lines of a text and finds its most used words.",
  tags: ["count", "words", "length"],
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", description: "The text to look at" } },
    required: ["text"],
    additionalProperties: false,
  },
  outputSchema: { type: "object", title: "text statistics" },
  handler: ({ text }) => {
    const words = text.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
    return {
      characters: [...text].length,
      words: words.length,
      sentences: text.match(/[^.!?]+[.!?]*/g)?.filter((part) => part.trim() !== "").length ?? 0,
      lines: text === "" ? 0 : text.split("\n").length,
      mostUsed: mostUsed(words.map((word) => word.toLowerCase())),
    };
  },
});

const digest = defineOperation({
  name: "text/digest",
  type: "query",
  description: "Computes the SHA-256 checksum of a text, as hexadecimal digits.",
  tags: ["hash", "checksum", "sha256"],
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  },
  outputSchema: { type: "string" },
  handler: async ({ text }) => {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  },
});

const report = defineOperation({
  name: "text/report",
  type: "query",
  description: "Describes a text in one answer: when it was looked at, its checksum and its statistics.",
  inputSchema: textStats.spec.inputSchema,
  outputSchema: { type: "object", title: "text report" },
  composes: ["time/now", "text/stats", "text/digest"],
  handler: async (input, { env }) => {
    const [lookedAt, statistics, checksum] = await Promise.all([
      env.invoke("time/now", {}, { select: "iso" }),
      env.invoke("text/stats", input),
      env.invoke("text/digest", input),
    ]);
    return { lookedAt, checksum, statistics };
  },
});

const countdown = defineOperation({
  name: "time/countdown",
  type: "subscription",
  description: "Counts down to zero, one number a second.",
  inputSchema: {
    type: "object",
    properties: { from: { type: "integer", minimum: 0, maximum: 3600 } },
    required: ["from"],
    additionalProperties: false,
  },
  outputSchema: { type: "integer" },
  async *handler({ from }, { signal }) {
    for (let left = from; left >= 0 && !signal.aborted; left--) {
      yield left;
      if (left > 0) await setTimeout(1_000, undefined, { signal }).catch(() => {});
    }
  },
});

/** Local operations that are worth a try. */
export const DEMO: readonly SourceSet[] = [
  definePlugin({ name: "time", description: "The clock, in any time zone.", operations: [now, countdown] }),
  definePlugin({
    name: "text",
    description: "Measure and compare texts.",
    operations: [textStats, digest, report],
  }),
];

/**
 * The sources of a gateway without a configuration: local operations, and an API that is imported from its document like
 * any other, although it answers in this process.
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
          const text = typeof body === "string" ? body : "";
          const answer = await shop({ method, url: new URL(url), body: text, signal: signal ?? undefined });
          const response = new Response(answer.body);
          return {
            status: answer.status,
            headers: new Headers(answer.headers),
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

function formatIn(timeZone: string, moment: Date): string {
  try {
    return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone }).format(
      moment,
    );
  } catch {
    throw new CallError(
      "UNKNOWN_TIME_ZONE",
      `There is no time zone ${JSON.stringify(timeZone)}. Use an IANA name such as Europe/Berlin or America/New_York.`,
    );
  }
}

function mostUsed(words: readonly string[]): { readonly word: string; readonly times: number }[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort(([a, times], [b, others]) => others - times || (a < b ? -1 : 1))
    .slice(0, 5)
    .map(([word, times]) => ({ word, times }));
}
