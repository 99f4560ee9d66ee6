import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { type Config, ConfigError, type LoadedConfig, resolveSecret } from "../../config/index.ts";

/** A certificate with its chain, and its private key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Reads the certificate that a config names; throws a ConfigError that says what is wrong with it. */
export function readCertificate(
  tls: NonNullable<Config["server"]["tls"]>,
  loaded: Pick<LoadedConfig, "directory" | "placeOf">,
): Certificate & { readonly files: readonly string[] } {
  const { directory } = loaded;
  const file = resolve(directory, tls.cert);
  const cert = readText(file, tls.cert);
  const key = resolveSecret(tls.key, ["server", "tls", "key"], { ...loaded, env: process.env });
  check({ cert, key }, tls.cert);
  return { cert, key, files: tls.key.file === undefined ? [file] : [file, resolve(directory, tls.key.file)] };
}

/** A renewed certificate comes in two files, which are not written at the same moment. */
function check({ cert, key }: Certificate, shown: string): void {
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    // Finds what the check above does not, such as a key that is too weak.
    if (fits) createSecureContext({ cert, key });
  } catch {
    // The message of the library could contain parts of the key.
    throw new ConfigError(`server.tls cannot be used: ${shown} or its key is not valid PEM.`);
  }
  if (!fits) throw new ConfigError(`server.tls cannot be used: the key does not belong to ${shown}.`);
}

function readText(file: string, shown: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    const reason = code === "ENOENT" ? `there is no file ${file}` : `${file} cannot be read (${code})`;
    throw new ConfigError(`The certificate ${shown} is missing: ${reason}.`);
  }
}
