import { LONGEST_TIMER_MS } from "../../core/index.ts";
import { MUTATIONS } from "./limits.ts";
import { NAMES } from "./parts.ts";

/** Keys of a preset. */
const PRESET = {
  type: "object",
  properties: {
    operation: { type: "string", minLength: 1, description: "Operation that it calls." },
    description: { type: "string", minLength: 1, description: "Description instead of the operation's." },
    input: {
      type: "object",
      description: "Arguments of the operation that are fixed. Callers cannot give them.",
    },
    pick: {
      type: "array",
      items: { type: "string", minLength: 1 },
      description:
        "Arguments of the operation that callers may give; all others that are not fixed if it is not set.",
    },
    rename: {
      type: "object",
      additionalProperties: { type: "string", minLength: 1 },
      description: "Other names for arguments of the operation, as new: old.",
    },
    into: {
      type: "string",
      minLength: 1,
      description: "Argument of the operation under which everything goes that a caller gives.",
    },
  },
  required: ["operation"],
  additionalProperties: false,
} as const;

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
      tools: {
        type: "object",
        description:
          "Tools of its own that call an operation with arguments fixed, picked or renamed, by name.",
        additionalProperties: PRESET,
        advice:
          "Write a tool as bugs/create: { operation: github/issues_create, input: { labels: [bug] }, pick: [title, body] }.",
      },
    },
    additionalProperties: false,
  },
  advice:
    'Write a facet as name: ["pattern", …] or name: { operations: ["pattern", …], mutations: dry }, the name in small letters.',
} as const;

/** Keys under `aliases`. */
export const ALIASES = {
  type: "object",
  description: "Old names of operations: they can be called, are not listed, and are answered with a note.",
  default: {},
  additionalProperties: PRESET,
  advice:
    "Write an alias as reminder/add: { operation: store/put, input: { kind: reminder }, into: record }.",
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
