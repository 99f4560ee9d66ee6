import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError } from "./config-error.ts";
import type { SecretReference } from "./schema.ts";

/** Where references lead. */
export interface SecretSurroundings {
  /** What paths are relative to: the directory of the configuration. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The secret that a reference stands for; throws a ConfigError that names the reference and never a value. */
export function resolveSecret({ env, file }: SecretReference, surroundings: SecretSurroundings): string {
  if (env !== undefined) return fromEnvironment(env, surroundings);
  if (file !== undefined) return fromFile(file, surroundings);
  throw new ConfigError("A secret is { env: NAME } or { file: path }, and this is neither.");
}

function fromEnvironment(name: string, { env }: SecretSurroundings): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value) return value;
  const state = value === undefined ? "is not set" : "is empty";
  throw new ConfigError(
    `The secret { env: ${name} } is missing: the environment variable ${state}. Set it before the start.`,
  );
}

function fromFile(path: string, { directory }: SecretSurroundings): string {
  const file = resolve(directory, path);
  const secret = readSecret(file, path).replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new ConfigError(`The secret { file: ${path} } is missing: ${file} is empty.`);
}

function readSecret(file: string, path: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    const reason = code === "ENOENT" ? `there is no file ${file}` : `${file} cannot be read (${code})`;
    throw new ConfigError(`The secret { file: ${path} } is missing: ${reason}.`);
  }
}
