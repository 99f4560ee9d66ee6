/** A list of names, empty unless given. */
export const NAMES = { type: "array", items: { type: "string", minLength: 1 }, default: [] } as const;

/** A reference to a secret, never the secret itself. */
export const SECRET = {
  type: "object",
  properties: {
    env: {
      type: "string",
      pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
      description: "Name of the environment variable that holds the secret.",
    },
    file: {
      type: "string",
      minLength: 1,
      description: "File that holds the secret, relative to the configuration.",
    },
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  sensitive: true,
  advice: "Write { env: NAME } or { file: path }; the secret itself never goes into the configuration.",
} as const;
