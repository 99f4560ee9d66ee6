import { dirname, resolve } from "node:path";
import { isRecord, type UnknownRecord } from "../core/index.ts";
import { createSchemaValidator } from "../formats/index.ts";
import { type BrokenRule, ConfigError, type ConfigPlace, type ConfigProblem } from "./config-error.ts";
import type { SchemaNode } from "./config-type.ts";
import { withDefaults } from "./defaults.ts";
import { explainProblem, keysOfPointer, showPath } from "./explain.ts";
import { type FlagValues, type GivenFlag, readFlags, withFlags } from "./flags.ts";
import type { SourceConfig } from "./keys/sources.ts";
import { readConfigFile } from "./read-file.ts";
import { type ReadYaml, readYaml } from "./read-yaml.ts";
import { checkRules, checkSourceRules } from "./rules.ts";
import { type Config, configSchema } from "./schema.ts";
import { foreignKeys, type KindOfSource, type SourceKinds } from "./source-kinds.ts";

/** Options of `loadConfig`. */
export interface LoadConfigOptions {
  /** The file, relative to the directory; `pinhole.yaml` unless given. */
  readonly file?: string | undefined;
  readonly directory: string;
  /** Values that override those in the file, by the name of the flag. */
  readonly flags?: FlagValues;
}

/** A valid configuration. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file that was read; undefined if there is none and all values are defaults. */
  readonly file: string | undefined;
  /** Base of the relative paths in the configuration. */
  readonly directory: string;
  /** The content of the file, without defaults and flags. */
  readonly written: UnknownRecord;
  /** The place of a value in the file, for messages. */
  placeOf(keys: readonly string[]): ConfigPlace;
}

/** Reads and checks the configuration; throws a ConfigError that lists every problem. */
export async function loadConfig(
  { file, directory, flags = {} }: LoadConfigOptions,
  kinds: SourceKinds,
): Promise<LoadedConfig> {
  const schema = configSchema(kinds);
  const given = readFlags(flags);
  const read = await readConfigFile(file, directory);
  const yaml = read && readYaml(read.text, read.displayPath);
  const origin: Origin = { yaml, displayPath: read?.displayPath, flags: given, schema };
  if (read && (yaml?.value ?? null) === null) throw emptyFile(read.displayPath);
  const value = yaml?.value ?? {};
  return {
    config: check(value, origin, { kinds, rules: checkRules }),
    file: read?.file,
    directory: read ? dirname(read.file) : resolve(directory),
    written: isRecord(value) ? value : {},
    placeOf: (keys) => placeOf(keys, origin),
  };
}

/** The defaults of everything but sources. */
export const DEFAULTS = withDefaults(configSchema({}), {}) as Config;

/** A source that a program gives as a value, checked as one in a file is. Its identities are those of the program. */
export function sourceFrom(name: string, value: unknown, kind: KindOfSource): SourceConfig {
  const kinds = { [kind.kind]: kind };
  const origin = { yaml: undefined, displayPath: undefined, flags: [], schema: configSchema(kinds) };
  const given = { sources: { [name]: value } };
  return check(given, origin, { kinds, rules: checkSourceRules }).sources[name] as SourceConfig;
}

/** The kinds of source, and the rules that a schema cannot express. */
interface Rules {
  readonly kinds: SourceKinds;
  readonly rules: (config: Config, kinds: SourceKinds) => readonly BrokenRule[];
}

function check(value: unknown, origin: Origin, { kinds, rules }: Rules): Config {
  const { schema, flags } = origin;
  const foreign = foreignKeys(value, kinds).map(({ keys, message }) => ({
    ...placeOf(keys, origin),
    message,
  }));
  const written = [...problemsOf(value, { ...origin, flags: [] }), ...foreign].sort(byLine);
  refuse([...written, ...problemsOf(withFlags({}, flags), origin)]);
  const config = withDefaults(schema, withFlags(value, flags)) as Config;
  refuse(rules(config, kinds).map(({ keys, message }) => ({ ...placeOf(keys, origin), message })));
  return config;
}

/** Origin of the values of a configuration. */
interface Origin {
  readonly yaml: ReadYaml | undefined;
  readonly displayPath: string | undefined;
  readonly flags: readonly GivenFlag[];
  readonly schema: SchemaNode;
}

function problemsOf(value: unknown, origin: Origin): readonly ConfigProblem[] {
  const problems = createSchemaValidator().check(origin.schema, value);
  return problems
    .map((problem) => ({
      ...placeOf(keysOfPointer(problem.path), origin),
      message: explainProblem(problem, value, origin.schema),
    }))
    .sort(byLine);
}

function byLine(one: ConfigProblem, other: ConfigProblem): number {
  return (one.line ?? 0) - (other.line ?? 0);
}

function placeOf(keys: readonly string[], { yaml, displayPath, flags }: Origin): ConfigPlace {
  const path = showPath(keys);
  const given = flags.find(({ flag }) => showPath(flag.keys) === path);
  if (given) return { flag: given.flag.name, path };
  return yaml && displayPath !== undefined ? { file: displayPath, line: yaml.lineOf(keys), path } : { path };
}

/** An empty file would remove every identity and every rule, and a file looks empty while it is being written. */
function emptyFile(file: string): ConfigError {
  const message =
    "The file is empty, or was read while it was being written. Write sources: {} if it is meant to be empty.";
  return new ConfigError([{ file, path: "", message }]);
}

function refuse(problems: readonly ConfigProblem[]): void {
  if (problems.length > 0) throw new ConfigError(problems);
}
