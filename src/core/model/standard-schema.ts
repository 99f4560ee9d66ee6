import { CallError } from "./errors.ts";
import { type JsonSchema, pointerTo } from "./json.ts";
import type { OperationSpec } from "./operation.ts";
import { RegistrationError } from "./registration.ts";
import { signatureOf } from "./signature.ts";

/** The JSON Schema that Pinhole asks of a library. */
const TARGET = { target: "draft-2020-12" } as const;
const MAX_ISSUES = 5;

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type Outcome<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

type ToJsonSchema = (options: typeof TARGET) => object;

/** A schema of a library such as zod, valibot or arktype, by the interface that they share (https://standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Outcome<Output> | Promise<Outcome<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: ToJsonSchema; readonly output: ToJsonSchema };
  };
}

/** The type of the values that a schema of a library yields. */
export type OutputOfStandard<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["output"];

/** True for a schema of a library. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  const isThing = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return isThing && "~standard" in schema;
}

/** A schema as JSON Schema: what callers write, or what a handler answers. */
export function jsonSchemaOf(
  schema: JsonSchema | StandardSchema,
  side: "input" | "output",
  operation: string,
): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const { vendor, jsonSchema } = schema["~standard"];
  if (!jsonSchema)
    throw new RegistrationError(
      `Operation "${operation}" has an ${side}Schema of ${vendor} that cannot say itself as JSON Schema. ${adviceOn(vendor)}`,
    );
  try {
    const { $schema: _, ...converted } = jsonSchema[side](TARGET) as Record<string, unknown>;
    return converted;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RegistrationError(
      `Operation "${operation}" has an ${side}Schema of ${vendor} that has no JSON Schema: ${reason}. Use types that JSON has.`,
    );
  }
}

function adviceOn(vendor: string): string {
  if (vendor === "valibot") return "Wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema.";
  if (vendor === "zod") return "Use zod 4.2 or newer.";
  if (vendor === "arktype") return "Use arktype 2.1.28 or newer.";
  return "Write JSON Schema in its place, and validate with the library in the handler.";
}

/** Checks an input by a library's own rules. Answers what the library makes of it; throws INVALID_INPUT. */
export async function parseInput(
  schema: StandardSchema,
  input: unknown,
  spec: OperationSpec,
): Promise<unknown> {
  const outcome = await schema["~standard"].validate(input);
  if (!outcome.issues) return outcome.value;
  const problems = outcome.issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)).reduce(pointerTo, ""),
    message,
  }));
  const lines = problems.map(({ path, message }) => `${path || "input"}: ${message}`);
  const signature = signatureOf(spec);
  throw new CallError(
    "INVALID_INPUT",
    `The input does not fit ${spec.name} — ${lines.join("; ")}. Call it as ${spec.name}${signature}.`,
    { details: { problems, signature } },
  );
}
