import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError } from "./config-error.ts";
import type { LoadedConfig } from "./load.ts";
import type { SecretReference } from "./schema.ts";

/** Environment and configuration of a secret. */
export interface SecretSurroundings extends Pick<LoadedConfig, "directory" | "placeOf"> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads the secret of a reference; throws a ConfigError that names the reference, never a value. */
export function resolveSecret(
  { env, file }: SecretReference,
  keys: readonly string[],
  surroundings: SecretSurroundings,
): string {
  const refuse = (message: string): never => {
    throw new ConfigError([{ ...surroundings.placeOf(keys), message }]);
  };
  if (env !== undefined)
    return fromEnvironment(env, surroundings) || refuse(missingVariable(env, surroundings));
  if (file !== undefined) return fromFile(file, surroundings, refuse);
  return refuse("A secret is { env: NAME } or { file: path }, and this is neither.");
}

function fromEnvironment(name: string, { env }: SecretSurroundings): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

function missingVariable(name: string, surroundings: SecretSurroundings): string {
  const state = fromEnvironment(name, surroundings) === undefined ? "is not set" : "is empty";
  return `The secret { env: ${name} } is missing: the environment variable ${state}. Set it and start Pinhole again.`;
}

function fromFile(
  path: string,
  { directory }: SecretSurroundings,
  refuse: (message: string) => never,
): string {
  const file = resolve(directory, path);
  const missing = (reason: string) =>
    refuse(`The secret { file: ${path} } is missing: ${reason}. Write the secret into that file.`);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    return missing(code === "ENOENT" ? `there is no file ${file}` : `${file} cannot be read (${code})`);
  }
  return text.replace(/\r?\n$/, "") || missing(`${file} is empty`);
}
