import { problemOfHandler } from "./check-registration.ts";
import type { OperationContext } from "./context.ts";
import type { Authority, CapabilityProvider } from "./identity.ts";
import type { JsonSchema } from "./json.ts";
import { completeSpec, type NO_INPUT, type SpecDraft } from "./operation.ts";
import { type Handler, type Registration, RegistrationError } from "./registration.ts";

/** Parts of a local operation outside its spec. */
interface Composition {
  /** Names or patterns of the operations that the handler may call through `context.env`. */
  readonly composes?: readonly string[];
  /** The authority under which it calls them; without one it reaches only operations that are open to anyone. */
  readonly authority?: Authority;
  readonly capabilities?: CapabilityProvider;
}

type Definition<Schema extends JsonSchema> = Omit<SpecDraft, "type" | "inputSchema"> &
  Composition & { readonly inputSchema?: Schema } & (
    | {
        readonly type: "query" | "mutation";
        readonly handler: (input: FromSchema<Schema>, context: OperationContext) => unknown;
      }
    | {
        readonly type: "subscription";
        readonly handler: (input: FromSchema<Schema>, context: OperationContext) => AsyncIterable<unknown>;
      }
  );

/**
 * Makes a local operation; the type of `input` follows from the schema.
 *
 *     defineOperation({
 *       name: "demo/greet",
 *       type: "query",
 *       description: "Greets someone by name.",
 *       inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
 *       handler: ({ name }) => `Hello, ${name}!`,
 *     })
 */
export function defineOperation<const Schema extends JsonSchema = typeof NO_INPUT>(
  definition: Definition<Schema>,
): Registration {
  const { handler, composes, authority, capabilities, ...draft } = definition;
  if (typeof draft.name !== "string")
    throw new RegistrationError("An operation has no name. Give it one such as demo/greet.");
  // Checked here, where the function is still the author's own; the registry checks the rest.
  const problem = problemOfHandler(draft.type, handler);
  if (problem) throw new RegistrationError(`Operation "${draft.name}" ${problem}.`);
  return {
    spec: completeSpec(draft),
    // Dispatch hands over input only after it was validated against the schema that the type came from.
    handler: { kind: definition.type === "subscription" ? "stream" : "once", run: handler } as Handler,
    provenance: "local",
    ...(composes && { scopedEnv: composes }),
    ...(authority && { authority }),
    ...(capabilities && { capabilities }),
  };
}

/**
 * The TypeScript type of a value that fits a literal JSON Schema. It reads type, properties, required,
 * items, enum and const, and answers `unknown` for the rest.
 */
export type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
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
  [Key in keyof Properties as Key extends Required ? Key : never]: FromSchema<Properties[Key]>;
} & {
  [Key in keyof Properties as Key extends Required ? never : Key]?: FromSchema<Properties[Key]>;
};
