import type { FromSchema } from "../core/index.ts";

/** A part of the configuration's schema: JSON Schema, and a few keywords of our own. */
export interface SchemaNode {
  readonly [keyword: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: false | SchemaNode;
  readonly items?: SchemaNode;
  /** Alternatives, by the key that selects one. */
  readonly kinds?: Readonly<Record<string, SchemaNode>>;
  /** Option of the command line that overrides this key. */
  readonly flag?: string;
  /** No message repeats a value at or below this key. */
  readonly sensitive?: true;
  /** Keys of earlier versions, each with advice. */
  readonly retired?: Readonly<Record<string, string>>;
  /** Advice for a wrong value at or below this key: a whole sentence. */
  readonly advice?: string;
}

/** Type of a configuration with its defaults in place: a key with a default is always present. */
export type ConfigOf<Schema> = Schema extends { readonly type: "object"; readonly properties: infer Keys }
  ? Flat<
      { readonly [Key in keyof Keys as Key extends Sure<Schema> ? Key : never]: ConfigOf<Keys[Key]> } & {
        readonly [Key in keyof Keys as Key extends Sure<Schema> ? never : Key]?: ConfigOf<Keys[Key]>;
      }
    >
  : Schema extends { readonly type: "object"; readonly additionalProperties: infer Value }
    ? { readonly [name: string]: ConfigOf<Value> }
    : Schema extends { readonly type: "array"; readonly items: infer Item }
      ? readonly ConfigOf<Item>[]
      : FromSchema<Schema>;

/** Keys that are always present: required ones, and those with a default. */
type Sure<Schema> =
  | (Schema extends { readonly required: readonly (infer Key)[] } ? Key : never)
  | (Schema extends { readonly properties: infer Keys }
      ? { [Key in keyof Keys]: Keys[Key] extends { readonly default: unknown } ? Key : never }[keyof Keys]
      : never);

/** One record instead of an intersection, so that editors show it readably. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
