import type { FromSchema } from "../core/index.ts";

/** What a part of the configuration's schema may say beside the ordinary keywords of JSON Schema. */
export interface SchemaNode {
  readonly [keyword: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: false | SchemaNode;
  readonly items?: SchemaNode;
  /** The schemas of which one holds, by the key that makes it the one. */
  readonly kinds?: Readonly<Record<string, SchemaNode>>;
  /** The option of the command line that overrides this key. */
  readonly flag?: string;
  /** No value at or below this key is ever repeated in a message. */
  readonly sensitive?: true;
  /** Keys of earlier versions, with what to do about them. */
  readonly retired?: Readonly<Record<string, string>>;
  /** What to do about a value at or below this key that does not fit: a whole sentence. */
  readonly advice?: string;
}

/** The type of a configuration once its defaults are in place: a key with a default is always there. */
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

/** The keys of an object that are there after the defaults: required ones, and those with a default. */
type Sure<Schema> =
  | (Schema extends { readonly required: readonly (infer Key)[] } ? Key : never)
  | (Schema extends { readonly properties: infer Keys }
      ? { [Key in keyof Keys]: Keys[Key] extends { readonly default: unknown } ? Key : never }[keyof Keys]
      : never);

/** One record instead of an intersection, so that editors show it readably. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
