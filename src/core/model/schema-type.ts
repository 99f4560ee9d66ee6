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
