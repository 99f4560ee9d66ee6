/** The part of the configuration that is about search. */
export const SEARCH = {
  type: "object",
  description: "How operations are found.",
  default: {},
  properties: {
    dense: {
      enum: ["on", "off"],
      default: "on",
      description: "Whether search also compares meanings by word vectors, beside words.",
    },
    budgetTokens: {
      type: "integer",
      minimum: 100,
      maximum: 100_000,
      default: 600,
      description: "What a reply of ten hits may cost a model, in tokens.",
    },
  },
  additionalProperties: false,
  retired: {
    indexFile: "remove it, and delete the file: the search index is built at each start, in the background.",
  },
} as const;
