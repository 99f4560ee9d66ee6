import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  ImportError,
  isRecord,
  messageOf,
  RegistrationError,
  Registry,
  type SourceSet,
} from "../../core/index.ts";

/** A module that takes longer than this to load probably waits for ever. */
const PATIENCE_MS = 10_000;

interface Attempt {
  readonly digest: string;
  readonly outcome: SourceSet | ImportError;
}

/**
 * Loaded plugins by file. Node never unloads a module: loading it again would leave its old timers and connections
 * behind, so a file is loaded once per change.
 */
export class PluginModules {
  readonly #attempts = new Map<string, Attempt>();
  readonly #good = new Map<string, SourceSet>();
  #loads = 0;

  /** The last version that loaded. */
  lastGood(path: string): SourceSet | undefined {
    return this.#good.get(path);
  }

  /** Loads the plugin in a file, `again` even if the file is unchanged and failed before. Throws an ImportError. */
  async load(path: string, again = false): Promise<SourceSet> {
    const digest = await digestOf(path);
    const before = this.#attempts.get(path);
    const isKnown = before?.digest === digest && !(again && before.outcome instanceof ImportError);
    const attempt = isKnown ? before : { digest, outcome: await this.#import(path) };
    this.#attempts.set(path, attempt);
    if (attempt.outcome instanceof ImportError) throw attempt.outcome;
    this.#good.set(path, attempt.outcome);
    return attempt.outcome;
  }

  #import(path: string): Promise<SourceSet | ImportError> {
    return importPlugin(path, this.#loads++).catch((error: ImportError) => error);
  }
}

async function digestOf(path: string): Promise<string> {
  try {
    return createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    const reason = code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${code}).`;
    throw new ImportError("TRANSPORT", `${reason} Put the plugin there, or correct the path.`, error);
  }
}

/** Imports the plugin in a file. Throws an ImportError with the line, if known. */
async function importPlugin(path: string, loads: number): Promise<SourceSet> {
  // The query makes Node read the file again: it caches modules by their whole URL.
  const address = `${pathToFileURL(path).href}?load=${loads}`;
  const module: unknown = await Promise.race([import(address), tooLong(path)]).catch((cause: unknown) => {
    if (cause instanceof ImportError) throw cause;
    const reason = messageOf(cause);
    const line = lineOf(cause, path);
    const place = line === undefined ? path : `${path}:${line}`;
    throw new ImportError(
      "DISCOVERY_FAILED",
      `${place} cannot be loaded: ${reason}. Fix it and save it.`,
      cause,
    );
  });
  const set = isRecord(module) ? module.default : undefined;
  if (isRecord(set) && isRecord(set.source) && Array.isArray(set.registrations)) {
    if (set.registrations.every(isOperation)) return checked(set as unknown as SourceSet, path);
    throw new ImportError(
      "SCHEMA_PARSE",
      `${path} has something among its operations that is not an operation. Make each with defineOperation({name, …}).`,
    );
  }
  throw new ImportError(
    "SCHEMA_PARSE",
    `${path} has no plugin as its default export. Write: export default definePlugin({name, operations}).`,
  );
}

/** True for a record with the parts of an operation; the registry checks the parts themselves. */
function isOperation(value: unknown): boolean {
  const isWhole = isRecord(value) && isRecord(value.spec) && isRecord(value.handler);
  return isWhole && typeof value.provenance === "string";
}

/** Checks the plugin with a registry of its own, while the file is still known. */
function checked(set: SourceSet, path: string): SourceSet {
  try {
    new Registry().apply({ replace: [set] });
    return set;
  } catch (error) {
    if (!(error instanceof RegistrationError)) throw error;
    throw new ImportError(error.code, `${path}: ${error.message} Fix it and save it.`, error);
  }
}

async function tooLong(path: string): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw new ImportError(
    "DISCOVERY_FAILED",
    `${path} has not finished loading within ${PATIENCE_MS / 1_000} s. Wait for nothing outside of handlers.`,
  );
}

/** The line in the file that caused an error: the first one in its stack. */
function lineOf(error: unknown, path: string): number | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.split(basename(path)).slice(1);
  const [, line] = at.map((rest) => /^(?:\?load=\d+)?:(\d+)/.exec(rest)).find(Boolean) ?? [];
  return line === undefined ? undefined : Number(line);
}
