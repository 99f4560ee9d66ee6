import { LONGEST_TIMER_MS } from "../../core/index.ts";
import { MUTATIONS } from "./limits.ts";
import { NAMES } from "./parts.ts";

/** Keys under `facets`. */
export const FACETS = {
  type: "object",
  description: "Groups of operations that can be listed as tools of their own, or served alone.",
  default: {},
  propertyNames: { pattern: "^[a-z0-9][a-z0-9-]*$", maxLength: 60 },
  additionalProperties: {
    type: ["array", "object"],
    items: { type: "string", minLength: 1 },
    properties: {
      operations: { ...NAMES, description: "Names, or patterns such as github/*review*." },
      mutations: MUTATIONS,
    },
    additionalProperties: false,
  },
  advice:
    'Write a facet as name: ["pattern", …] or name: { operations: ["pattern", …], mutations: dry }, the name in small letters.',
} as const;

/** Keys under `mcp`. */
export const MCP = {
  type: "object",
  description: "Tools that MCP clients see, and answers to them.",
  default: {},
  properties: {
    expose: {
      type: "array",
      items: { type: "string", minLength: 1 },
      description: "Facets whose operations are listed as tools; core means the four tools.",
    },
    reach: {
      enum: ["all", "exposed"],
      default: "all",
      description: "Operations that search and call reach: all, or only those of the exposed facets.",
    },
    only: {
      type: "string",
      minLength: 1,
      flag: "facet",
      description: "Serve this facet alone: search and call are confined to it.",
    },
    budgetTokens: {
      type: "integer",
      minimum: 1,
      default: 2_500,
      description: "Tokens that the listed tools and the instructions may cost a model, about.",
    },
    overBudget: {
      enum: ["warn", "refuse"],
      default: "warn",
      description: "Reaction if they cost more, at the start or after a change of the configuration.",
    },
    slowAfterMs: {
      type: "integer",
      minimum: 0,
      maximum: LONGEST_TIMER_MS,
      default: 5_000,
      description: "Milliseconds after which a call that is still running is answered as a stream.",
    },
    keepAliveMs: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMER_MS,
      default: 15_000,
      description: "Milliseconds between signs of life on an open stream.",
    },
    sessions: {
      enum: ["on", "off"],
      default: "on",
      description:
        "Sessions of clients of revisions before 2026-07-28, which then hear of changes, cancel calls and answer questions; replicas share server.stateKey for them.",
    },
  },
  additionalProperties: false,
} as const;

/** Keys under `search`. */
export const SEARCH = {
  type: "object",
  description: "Search for operations.",
  default: {},
  properties: {
    dense: {
      enum: ["on", "off"],
      default: "on",
      description: "Compare meanings by word vectors, besides words.",
    },
    budgetTokens: {
      type: "integer",
      minimum: 100,
      maximum: 100_000,
      default: 600,
      description: "Tokens that a reply of ten hits may cost a model.",
    },
  },
  additionalProperties: false,
  retired: {
    indexFile: "remove it, and delete the file: the search index is built at each start, in the background.",
  },
} as const;
