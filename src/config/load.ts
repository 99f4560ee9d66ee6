import { dirname, resolve } from "node:path";
import { isRecord, type UnknownRecord } from "../core/index.ts";
import { createSchemaValidator } from "../formats/index.ts";
import { ConfigError, type ConfigPlace, type ConfigProblem } from "./config-error.ts";
import type { SchemaNode } from "./config-type.ts";
import { withDefaults } from "./defaults.ts";
import { explainProblem, keysOfPointer, showPath } from "./explain.ts";
import { type FlagValues, type GivenFlag, readFlags, withFlags } from "./flags.ts";
import { readConfigFile } from "./read-file.ts";
import { type ReadYaml, readYaml } from "./read-yaml.ts";
import { checkRules } from "./rules.ts";
import { type Config, configSchema } from "./schema.ts";
import { foreignKeys, type SourceKinds } from "./source-kinds.ts";

/** Where a configuration is taken from. */
export interface LoadConfigOptions {
  /** The file, relative to the directory; `pinhole.yaml` unless given. */
  readonly file?: string | undefined;
  readonly directory: string;
  /** Values that take the place of those in the file, by the name of the flag. */
  readonly flags?: FlagValues;
}

/** A configuration that can be used. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file that was read; undefined where there is none and all values are defaults. */
  readonly file: string | undefined;
  /** What the paths in the configuration are relative to. */
  readonly directory: string;
  /** What the file itself says, without defaults and flags. */
  readonly said: UnknownRecord;
  /** Where the value that a list of keys leads to is written, for messages about it. */
  placeOf(keys: readonly string[]): ConfigPlace;
}

/** Reads and checks the configuration; throws a ConfigError that lists everything that is wrong with it. */
export async function loadConfig(
  { file, directory, flags = {} }: LoadConfigOptions,
  kinds: SourceKinds,
): Promise<LoadedConfig> {
  const schema = configSchema(kinds);
  const given = readFlags(flags);
  const read = await readConfigFile(file, directory);
  const yaml = read && readYaml(read.text, read.shown);
  const source: Source = { yaml, shown: read?.shown, flags: given, schema };
  if (read && (yaml?.value ?? null) === null) throw emptyFile(read.shown);
  const value = yaml?.value ?? {};

  const foreign = foreignKeys(value, kinds).map(({ keys, message }) => ({
    ...placeOf(keys, source),
    message,
  }));
  const written = [...problemsOf(value, { ...source, flags: [] }), ...foreign].sort(byLine);
  refuse([...written, ...problemsOf(withFlags({}, given), source)]);
  const config = withDefaults(schema, withFlags(value, given)) as Config;
  refuse(checkRules(config, kinds).map(({ keys, message }) => ({ ...placeOf(keys, source), message })));

  return {
    config,
    file: read?.file,
    directory: read ? dirname(read.file) : resolve(directory),
    said: isRecord(value) ? value : {},
    placeOf: (keys) => placeOf(keys, source),
  };
}

/** Where the values of a configuration stand. */
interface Source {
  readonly yaml: ReadYaml | undefined;
  readonly shown: string | undefined;
  readonly flags: readonly GivenFlag[];
  readonly schema: SchemaNode;
}

function problemsOf(value: unknown, source: Source): readonly ConfigProblem[] {
  const problems = createSchemaValidator().check(source.schema, value);
  return problems
    .map((problem) => ({
      ...placeOf(keysOfPointer(problem.path), source),
      message: explainProblem(problem, value, source.schema),
    }))
    .sort(byLine);
}

function byLine(one: ConfigProblem, other: ConfigProblem): number {
  return (one.line ?? 0) - (other.line ?? 0);
}

function placeOf(keys: readonly string[], { yaml, shown, flags }: Source): ConfigPlace {
  const path = showPath(keys);
  const given = flags.find(({ flag }) => showPath(flag.keys) === path);
  if (given) return { flag: given.flag.name, path };
  return yaml && shown !== undefined ? { file: shown, line: yaml.lineOf(keys), path } : { path };
}

/** It would take away every identity and every rule, and a file that is being written looks like that. */
function emptyFile(file: string): ConfigError {
  const message =
    "The file is empty, or was read while it was being written. Write sources: {} if it is meant to name nothing.";
  return new ConfigError([{ file, path: "", message }]);
}

function refuse(problems: readonly ConfigProblem[]): void {
  if (problems.length > 0) throw new ConfigError(problems);
}
