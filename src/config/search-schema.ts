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
    indexFile: {
      type: "string",
      minLength: 1,
      description: "File that keeps the search index between starts, relative to the configuration.",
    },
  },
  additionalProperties: false,
} as const;
