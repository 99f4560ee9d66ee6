import { statSync } from "node:fs";
import { resolve } from "node:path";
import { CONFIG_SCHEMA } from "../../adapters/index.ts";
import { type Config, resolveSecret, type SecretSurroundings } from "../../config/index.ts";
import { isRecord, MIN_SECRET_LENGTH } from "../../core/index.ts";
import { isNameOnly } from "../../credentials/index.ts";
import { type Finding, fine, note, wrong } from "./check.ts";

/** Mode bits of a file for others than its owner. */
const OTHERS = 0o077;

/** A reference to a secret, and its place in the configuration. */
export interface FoundReference {
  readonly keys: readonly string[];
  readonly reference: { readonly env?: string; readonly file?: string };
}

interface Part {
  readonly [keyword: string]: unknown;
  readonly sensitive?: true;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly additionalProperties?: false | Part;
  readonly items?: Part;
}

/** Every reference to a secret in a configuration; the schema marks them. */
function secretsIn(
  value: unknown,
  part: Part = CONFIG_SCHEMA,
  keys: readonly string[] = [],
): readonly FoundReference[] {
  if (part.sensitive && part.properties?.env)
    return isRecord(value) ? [{ keys, reference: value as FoundReference["reference"] }] : [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => secretsIn(item, part.items ?? {}, [...keys, String(index)]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const next = part.properties?.[key] ?? (part.additionalProperties || undefined);
    return next ? secretsIn(inner, next, [...keys, key]) : [];
  });
}

/** Checks that each secret exists and is long enough to be redacted; never shows its value. */
export function checkSecrets(
  config: Config,
  surroundings: SecretSurroundings,
): { readonly checks: readonly Finding[]; readonly missing: readonly FoundReference[] } {
  const missing: FoundReference[] = [];
  const checks = secretsIn(config).flatMap((found): readonly Finding[] => {
    const { keys, reference } = found;
    const where = keys.join(".");
    const referenceText =
      reference.env === undefined ? `{ file: ${reference.file} }` : `{ env: ${reference.env} }`;
    let secret: string;
    try {
      secret = resolveSecret(reference, keys, surroundings);
    } catch (error) {
      missing.push(found);
      const { env, file = "" } = reference;
      if (env !== undefined) {
        const text = `${where}: the environment variable ${env} is not set, or empty.`;
        return [wrong("credentials", text, `Set ${env} before the start.`)];
      }
      const reason = error instanceof Error ? error.message : `${referenceText} is missing.`;
      const path = resolve(surroundings.directory, file);
      return [wrong("credentials", `${where}: ${reason}`, `Write the secret into ${path}.`)];
    }
    return [
      fine("credentials", `${where}: ${referenceText} is there.`),
      ...tooShort(secret, found),
      ...openFile(reference.file, surroundings),
    ];
  });
  return { checks, missing };
}

function tooShort(secret: string, { keys }: FoundReference): readonly Finding[] {
  if (secret.length >= MIN_SECRET_LENGTH || isNameOnly(keys.at(-1))) return [];
  const text = `${keys.join(".")} has fewer than ${MIN_SECRET_LENGTH} characters and is not redacted: an answer that repeats it shows it.`;
  return [note("credentials", text, "Use a longer secret if the service can issue one.")];
}

/** Notes a secret that others on the machine can read. */
function openFile(file: string | undefined, { directory }: SecretSurroundings): readonly Finding[] {
  if (file === undefined || process.platform === "win32") return [];
  const path = resolve(directory, file);
  if ((statSync(path).mode & OTHERS) === 0) return [];
  return [note("credentials", `Others on this machine may read ${path}.`, `Run: chmod 600 ${path}`)];
}
