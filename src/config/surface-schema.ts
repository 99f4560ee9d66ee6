import { LONGEST_TIMER, NAMES, SECRET } from "./schema-parts.ts";

const MUTATIONS = {
  enum: ["allow", "dry", "deny"],
  description: "What becomes of mutations: they run, they are checked but not run, or they are refused.",
} as const;

/** What one identity may take. Without a value there is no limit. */
const LIMIT_KEYS = {
  callsPerSecond: {
    type: "number",
    exclusiveMinimum: 0,
    description: "How many calls may begin in a second, on average; each call of a batch counts.",
  },
  concurrent: {
    type: "integer",
    minimum: 1,
    description:
      "How many calls may run at the same time; one counts until its handler has ended, also when its caller has left.",
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
  description: "How many calls a batch may have.",
} as const;

const CONNECTIONS = {
  type: "integer",
  minimum: 1,
  description: "How many connections of the call protocol may be open at the same time.",
} as const;

/** What a config says about one identity, or each of an issuer's, beside who it is. */
export const IDENTITY_POLICY = {
  mutations: MUTATIONS,
  limits: {
    type: "object",
    description: "What one of these may take, where that is not what all may.",
    properties: {
      ...LIMIT_KEYS,
      maxResultBytes: RESULT_BYTES,
      batchSize: BATCH_SIZE,
      connections: CONNECTIONS,
    },
    additionalProperties: false,
  },
} as const;

/** What a config says about what calls may take. */
export const LIMITS = {
  type: "object",
  description: "What calls may take; the limits per identity hold for each one that has none of its own.",
  default: {},
  properties: {
    ...LIMIT_KEYS,
    deadlineMs: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMER,
      default: 30_000,
      description:
        "The longest a call may take, in milliseconds, whatever the caller or the timeoutMs of a source allows; the shortest of them ends it. Subscriptions have no deadline.",
    },
    maxResultBytes: { ...RESULT_BYTES, default: 1_048_576 },
    outputValidation: {
      enum: ["off", "warn", "enforce"],
      default: "warn",
      description:
        "What happens to an output, or to details of a declared error, that does not fit its schema: nothing, a warning in the log, the error OUTPUT_INVALID.",
    },
    batchSize: { ...BATCH_SIZE, default: 50 },
    batchConcurrency: {
      type: "integer",
      minimum: 1,
      maximum: 1_000,
      default: 8,
      description: "How many calls of one batch run at the same time.",
    },
    connections: {
      ...CONNECTIONS,
      default: 100,
      description:
        "How many connections of the call protocol one identity may have; those without one share a limit.",
    },
  },
  additionalProperties: false,
} as const;

/** What a config says about definitions that nobody has looked at. */
export const LOCK = {
  enum: ["off", "warn", "enforce"],
  default: "off",
  description:
    "What happens to imported definitions that are not in pinhole.lock: nothing, a warning, or they are withheld.",
} as const;

/** What a config says about groups of operations. */
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

/** What a config says about MCP clients. */
export const MCP = {
  type: "object",
  description: "How the gateway answers MCP clients.",
  default: {},
  properties: {
    expose: {
      type: "array",
      items: { type: "string", minLength: 1 },
      description: "Facets whose operations are listed as tools; core stands for the four tools.",
    },
    reach: {
      enum: ["all", "exposed"],
      default: "all",
      description: "Whether search and call reach everything, or only what the exposed facets hold.",
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
      description: "What the listed tools and the instructions may cost a model, about, in tokens.",
    },
    overBudget: {
      enum: ["warn", "refuse"],
      default: "warn",
      description: "What happens when they cost more, at the start or by a new configuration.",
    },
    slowAfterMs: {
      type: "integer",
      minimum: 0,
      maximum: LONGEST_TIMER,
      default: 5_000,
      description: "After how many milliseconds a call that is still running is answered as a stream.",
    },
    keepAliveMs: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMER,
      default: 15_000,
      description: "How often a sign of life goes over an open stream, in milliseconds.",
    },
  },
  additionalProperties: false,
} as const;

/** What a config says about callers without MCP. */
export const HTTP = {
  type: "object",
  description: "How the gateway answers plain HTTP.",
  default: {},
  properties: {
    heartbeatMs: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMER,
      default: 15_000,
      description: "After how long a silence a subscription shows that it lives, in milliseconds.",
    },
  },
  additionalProperties: false,
} as const;

/** What a config says about who did what. */
export const AUDIT = {
  type: "object",
  description: "A record of every call.",
  default: {},
  properties: {
    file: {
      type: "string",
      minLength: 1,
      description: "File that one line of JSON is added to for each call, relative to the configuration.",
    },
    inputs: {
      type: "boolean",
      default: false,
      description: "Whether what callers sent is kept too. It may hold secrets.",
    },
    outputs: {
      type: "boolean",
      default: false,
      description: "Whether what callers got is kept too. It may hold secrets.",
    },
    required: {
      type: "boolean",
      default: false,
      description:
        "Whether calls are refused while their records cannot be written, and answered only when they are on the disk.",
    },
  },
  additionalProperties: false,
} as const;

/** What a config says about traces. */
export const TELEMETRY = {
  type: "object",
  description: "Traces for OpenTelemetry; none are sent unless an address is given.",
  default: {},
  properties: {
    url: {
      type: "string",
      pattern: "^https?://",
      description: "Address that takes traces as OTLP in JSON, such as http://localhost:4318/v1/traces.",
      advice: "Write the whole address, such as http://localhost:4318/v1/traces.",
    },
    headers: {
      type: "object",
      additionalProperties: SECRET,
      default: {},
      description: "Headers that go along, by reference: they mostly hold a key.",
    },
  },
  additionalProperties: false,
} as const;
