import { isRecord, nearest } from "../core/index.ts";
import { ConfigError } from "./config-error.ts";
import type { SchemaNode } from "./config-type.ts";
import { OWN_SCHEMA } from "./schema.ts";

/** A key of the configuration with an option of the command line. */
interface ConfigFlag {
  readonly name: string;
  /** The path of the key: `["server", "port"]`. */
  readonly keys: readonly string[];
  readonly type: "string" | "number" | "boolean";
  readonly description: string;
  readonly default: unknown;
}

/** Values of flags, by name; a number may still be text. */
export type FlagValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Every flag that the schema declares. */
export const CONFIG_FLAGS: readonly ConfigFlag[] = Object.freeze(flagsIn(OWN_SCHEMA, []));

/** A flag from the command line, with its value as in the configuration. */
export interface GivenFlag {
  readonly flag: ConfigFlag;
  readonly value: unknown;
}

/** Reads the flags of a command line; throws a ConfigError for an unknown one. */
export function readFlags(values: FlagValues): readonly GivenFlag[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const flag = CONFIG_FLAGS.find((candidate) => candidate.name === name);
      if (!flag) throw unknownFlag(name);
      return { flag, value: flag.type === "number" ? toNumber(value) : value };
    });
}

/** A copy of a configuration with the values of the flags. */
export function withFlags(config: unknown, flags: readonly GivenFlag[]): unknown {
  return flags.reduce((changed, { flag, value }) => withValue(changed, flag.keys, value), config);
}

function withValue(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const record = isRecord(target) ? target : {};
  return { ...record, [key]: withValue(record[key], rest, value) };
}

function flagsIn(node: SchemaNode, keys: readonly string[]): readonly ConfigFlag[] {
  const inner = Object.entries(node.properties ?? {}).flatMap(([key, part]) => flagsIn(part, [...keys, key]));
  if (node.flag === undefined) return inner;
  const { flag: name, description = "", default: fallback } = node;
  return [...inner, Object.freeze({ name, keys, type: typeOf(node), description, default: fallback })];
}

function typeOf({ type }: SchemaNode): ConfigFlag["type"] {
  if (type === "integer" || type === "number") return "number";
  return type === "boolean" ? "boolean" : "string";
}

/** Leaves text that is not a number unchanged: the schema refuses it, and the message shows it. */
function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

function unknownFlag(name: string): ConfigError {
  const names = CONFIG_FLAGS.map((flag) => flag.name);
  const [close] = nearest(name, names, 1);
  const hint = close
    ? `did you mean --${close}?`
    : `known are ${names.map((known) => `--${known}`).join(", ")}`;
  return new ConfigError([{ flag: name, path: "", message: `unknown flag; ${hint}` }]);
}
