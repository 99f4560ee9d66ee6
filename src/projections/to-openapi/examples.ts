const requestId = "3f0e4c1a-6d0b-4b52-9d51-0c6f7f1a2b3c";

const hit = {
  name: "text/stats",
  type: "query",
  description: "Counts the characters, words, sentences and lines of a text.",
  signature: "(text: string) → text statistics",
} as const;

/** What goes in and comes out of each address, as the document shows it. */
export const EXAMPLES = {
  search: {
    body: { query: "count the words of a text", limit: 5 },
    answer: { operations: [hit], total: 1, requestId },
  },
  schema: {
    body: { names: ["text/stats"] },
    answer: {
      operations: [
        {
          name: "text/stats",
          type: "query",
          description: hit.description,
          inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        },
      ],
      requestId,
    },
  },
  call: {
    body: { operation: "text/stats", input: { text: "two words" }, select: "words" },
    answer: { output: 2, requestId },
  },
  batch: {
    body: {
      calls: [
        { operation: "text/stats", input: { text: "two words" }, select: "words" },
        { operation: "text/none" },
      ],
    },
    answer: {
      results: [
        { output: 2, requestId: "5b7f4f0e-3c55-4f0e-8f61-2f8f3f7c9a01" },
        {
          error: { code: "NOT_FOUND", message: 'There is no operation "text/none".', retryable: false },
          requestId: "8c1d2f6a-90b7-4d3e-a0b3-6f1e2d3c4b5a",
        },
      ],
      requestId,
    },
  },
  subscribe: {
    body: { operation: "time/countdown", input: { from: 2 } },
    answer: "data: 2\n\ndata: 1\n\ndata: 0\n\nevent: end\ndata: [DONE]\n\n",
  },
} as const;
