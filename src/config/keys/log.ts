import { SECRET } from "./parts.ts";

/** Keys under `log`. */
export const LOG = {
  type: "object",
  description: "Log of the gateway.",
  default: {},
  properties: {
    level: {
      enum: ["debug", "info", "warn", "error"],
      default: "info",
      description: "Least important messages that are still written.",
    },
  },
  additionalProperties: false,
} as const;

/** Keys under `audit`. */
export const AUDIT = {
  type: "object",
  description: "Record of every call.",
  default: {},
  properties: {
    file: {
      type: "string",
      minLength: 1,
      description: "File that gets one line of JSON for each call, relative to the configuration.",
    },
    inputs: {
      type: "boolean",
      default: false,
      description: "Keep the inputs of calls too. They may hold secrets.",
    },
    outputs: {
      type: "boolean",
      default: false,
      description: "Keep the outputs of calls too. They may hold secrets.",
    },
    required: {
      type: "boolean",
      default: false,
      description:
        "Refuse calls while their records cannot be written, and answer a call only once its record is on the disk.",
    },
  },
  additionalProperties: false,
} as const;

/** Keys under `telemetry`. */
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
      description: "Headers that are sent along, as references to secrets, since most hold a key.",
    },
  },
  additionalProperties: false,
} as const;
