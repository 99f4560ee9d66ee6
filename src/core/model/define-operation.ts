import { problemOfHandler } from "./check-registration.ts";
import type { OperationContext } from "./context.ts";
import type { Authority, CapabilityProvider } from "./identity.ts";
import type { JsonSchema } from "./json.ts";
import { completeSpec, type NO_INPUT, type OperationSpec, type SpecDraft } from "./operation.ts";
import type { Preset } from "./preset.ts";
import { type Handler, type Registration, RegistrationError } from "./registration.ts";
import {
  isStandardSchema,
  jsonSchemaOf,
  type OutputOfStandard,
  parseInput,
  type StandardSchema,
} from "./standard-schema.ts";

/** Parts of a local operation outside its spec. */
interface Composition {
  /** Names or patterns of the operations that the handler may call through `context.env`. */
  readonly composes?: readonly string[];
  /** The authority under which it calls them; without one it reaches only operations that are open to anyone. */
  readonly authority?: Authority;
  readonly capabilities?: CapabilityProvider;
  /** Tools by name that call it with arguments fixed, picked or renamed, in each facet that holds it. */
  readonly tools?: Readonly<Record<string, Omit<Preset, "name" | "operation" | "isAlias">>>;
}

type AnySchema = JsonSchema | StandardSchema;

type Definition<Input extends AnySchema, Output extends AnySchema> = Omit<
  SpecDraft,
  "type" | "inputSchema" | "outputSchema"
> &
  Composition & { readonly inputSchema?: Input; readonly outputSchema?: Output } & (
    | {
        readonly type: "query" | "mutation";
        readonly handler: (
          input: TypeOf<Input>,
          context: OperationContext,
        ) => Answer<Output> | Promise<Answer<Output>>;
      }
    | {
        readonly type: "subscription";
        readonly handler: (input: TypeOf<Input>, context: OperationContext) => AsyncIterable<Answer<Output>>;
      }
  );

type TypeOf<Schema> = Schema extends StandardSchema ? OutputOfStandard<Schema> : FromSchema<Schema>;

type Answer<Schema> = Unchanging<TypeOf<Schema>>;

/** The answer of a handler is only read, so it may be readonly; undefined properties are not sent. */
type Unchanging<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> | OrUndefined<Value, Key> }
    : Value;

type OrUndefined<Value, Key extends keyof Value> =
  Record<never, never> extends Pick<Value, Key> ? undefined : never;

/**
 * Makes a local operation. The types of its input and output follow from the schemas, which are JSON Schema or those of a
 * library such as zod.
 *
 *     defineOperation({
 *       name: "demo/greet",
 *       type: "query",
 *       description: "Greets someone by name.",
 *       inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
 *       handler: ({ name }) => `Hello, ${name}!`,
 *     })
 */
export function defineOperation<
  const Input extends AnySchema = typeof NO_INPUT,
  const Output extends AnySchema = true,
>(definition: Definition<Input, Output>): Registration {
  const { handler, composes, authority, capabilities, tools, inputSchema, outputSchema, ...draft } =
    definition;
  if (typeof draft.name !== "string")
    throw new RegistrationError("An operation has no name. Give it one such as demo/greet.");
  // Checked here, where the function is still the author's own; the registry checks the rest.
  const problem = problemOfHandler(draft.type, handler);
  if (problem) throw new RegistrationError(`Operation "${draft.name}" ${problem}.`);
  const spec = completeSpec({
    ...draft,
    ...(inputSchema !== undefined && { inputSchema: jsonSchemaOf(inputSchema, "input", draft.name) }),
    ...(outputSchema !== undefined && { outputSchema: jsonSchemaOf(outputSchema, "output", draft.name) }),
  });
  // Dispatch hands over input only after it was validated against the schema that the type came from.
  const plain = { kind: draft.type === "subscription" ? "stream" : "once", run: handler } as Handler;
  return {
    spec,
    handler: isStandardSchema(inputSchema) ? parsing(plain, inputSchema, spec) : plain,
    provenance: "local",
    ...(composes && { scopedEnv: composes }),
    ...(authority && { authority }),
    ...(capabilities && { capabilities }),
    ...(tools && {
      tools: Object.entries(tools).map(([name, tool]) => ({ ...tool, name, operation: spec.name })),
    }),
  };
}

/** The handler with what the schema's library makes of the input: its own rules, its defaults and its conversions. */
function parsing(handler: Handler, schema: StandardSchema, spec: OperationSpec): Handler {
  if (handler.kind === "once")
    return {
      kind: "once",
      run: async (input, context) => handler.run(await parseInput(schema, input, spec), context),
    };
  return {
    kind: "stream",
    async *run(input, context) {
      yield* handler.run(await parseInput(schema, input, spec), context);
    },
  };
}

/**
 * The TypeScript type of a value that fits a literal JSON Schema, with its defaults. It reads type, properties, required,
 * items, enum, const and anyOf, and answers `unknown` for the rest.
 */
export type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Choice)[] }
      ? FromSchema<Choice>
      : Schema extends { readonly type: "string" }
        ? string
        : Schema extends { readonly type: "number" | "integer" }
          ? number
          : Schema extends { readonly type: "boolean" }
            ? boolean
            : Schema extends { readonly type: "null" }
              ? null
              : Schema extends { readonly type: "array"; readonly items: infer Items }
                ? FromSchema<Items>[]
                : Schema extends { readonly type: "object"; readonly properties: infer Properties }
                  ? FromProperties<Properties, RequiredOf<Schema>>
                  : unknown;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

type FromProperties<Properties, Required> = {
  [Key in keyof Properties as IsThere<Properties, Key, Required> extends true ? Key : never]: FromSchema<
    Properties[Key]
  >;
} & {
  [Key in keyof Properties as IsThere<Properties, Key, Required> extends true ? never : Key]?: FromSchema<
    Properties[Key]
  >;
};

type IsThere<Properties, Key extends keyof Properties, Required> = Key extends Required
  ? true
  : Properties[Key] extends { readonly default: unknown }
    ? true
    : false;
