import {
  ImportError,
  isRecord,
  isStandardSchema,
  type JsonSchema,
  type UnknownRecord,
  withDefaults,
} from "../../core/index.ts";
import { createSchemaValidator } from "../../formats/index.ts";

/** Options in the config that a plugin does not take. */
export class OptionsError extends ImportError {
  /** Keys from `options` down to the wrong one. */
  readonly keys: readonly string[];

  constructor(keys: readonly string[], message: string) {
    super("SCHEMA_PARSE", message);
    this.keys = keys;
  }
}

/**
 * The plugin of a module under the options of the config. A plugin with options is a function of them; the module exports
 * their schema as `optionsSchema`.
 */
export async function withOptions(module: UnknownRecord, options: UnknownRecord): Promise<unknown> {
  const { default: plugin, optionsSchema } = module;
  if (typeof plugin === "function") return plugin(await checkedOptions(optionsSchema, options));
  const [key] = Object.keys(options);
  if (key === undefined) return plugin;
  throw new OptionsError(
    [key],
    "the plugin takes no options. Remove them, or export a function of the options.",
  );
}

async function checkedOptions(schema: unknown, options: UnknownRecord): Promise<unknown> {
  if (isStandardSchema(schema)) {
    const outcome = await schema["~standard"].validate(options);
    if (!outcome.issues) return outcome.value;
    const [{ path = [], message } = { message: "is not valid" }] = outcome.issues;
    throw new OptionsError(
      path.map((part) => String(typeof part === "object" ? part.key : part)),
      message,
    );
  }
  if (schema === undefined) return options;
  if (!isRecord(schema) && typeof schema !== "boolean")
    throw new OptionsError(
      [],
      "optionsSchema of the plugin is not a schema. Export a JSON Schema, or remove it.",
    );
  const whole = withDefaults(schema as JsonSchema, options);
  const [problem] = createSchemaValidator().check(schema as JsonSchema, whole);
  if (!problem) return whole;
  const { path, expected, actual } = problem;
  throw new OptionsError(path.split("/").slice(1), `expected ${expected}, got ${actual}.`);
}
