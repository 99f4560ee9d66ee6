import { LONGEST_TIMER_MS } from "../../core/index.ts";

/** Policy for mutations, of an identity or a facet. */
export const MUTATIONS = {
  enum: ["allow", "dry", "deny"],
  description: "Mutations run (allow), are checked but not run (dry), or are refused (deny).",
} as const;

/** Without a value there is no limit. */
const PER_IDENTITY = {
  callsPerSecond: {
    type: "number",
    exclusiveMinimum: 0,
    description: "Calls that may begin in a second, on average; each call of a batch counts.",
  },
  concurrent: {
    type: "integer",
    minimum: 1,
    description:
      "Calls that may run at the same time; one counts until its handler has ended, also when its caller has left.",
  },
} as const;

const RESULT_BYTES = {
  type: "integer",
  minimum: 1,
  description: "Largest result that is sent, as bytes of JSON.",
} as const;

const BATCH_SIZE = {
  type: "integer",
  minimum: 1,
  // No wire takes more; the contract says so to every client.
  maximum: 50,
  description: "Most calls in one batch.",
} as const;

const CONNECTIONS = {
  type: "integer",
  minimum: 1,
  description:
    "Connections of the call protocol that may be open at the same time; at each MCP endpoint also streams that wait for changes, and questions that wait for answers.",
} as const;

/** Policy and limits of one identity, or of each identity of an issuer. */
export const IDENTITY_POLICY = {
  mutations: MUTATIONS,
  limits: {
    type: "object",
    description: "Limits of this identity, or of each identity of this issuer, instead of the common ones.",
    properties: {
      ...PER_IDENTITY,
      maxResultBytes: RESULT_BYTES,
      batchSize: BATCH_SIZE,
      connections: CONNECTIONS,
    },
    additionalProperties: false,
  },
} as const;

/** Keys under `limits`. */
export const LIMITS = {
  type: "object",
  description: "Limits of calls; an identity may have its own.",
  default: {},
  properties: {
    ...PER_IDENTITY,
    deadlineMs: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMER_MS,
      default: 30_000,
      description:
        "Longest time for a call, in milliseconds, whatever the caller or the timeoutMs of a source allows; the shortest of them ends it. Subscriptions have no deadline.",
    },
    maxResultBytes: { ...RESULT_BYTES, default: 1_048_576 },
    outputValidation: {
      enum: ["off", "warn", "enforce"],
      default: "warn",
      description:
        "Outputs, and details of declared errors, that do not fit their schema: they pass (off), are logged (warn), or become the error OUTPUT_INVALID (enforce).",
    },
    batchSize: { ...BATCH_SIZE, default: 50 },
    batchConcurrency: {
      type: "integer",
      minimum: 1,
      maximum: 1_000,
      default: 8,
      description: "Calls of one batch that run at the same time.",
    },
    connections: {
      ...CONNECTIONS,
      default: 100,
      description:
        "Connections of the call protocol that one identity may have open, and at each MCP endpoint streams that wait for changes, and questions that wait for answers; callers without an identity share a limit.",
    },
  },
  additionalProperties: false,
} as const;
