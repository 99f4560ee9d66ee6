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

/** A module that takes longer than this waits for something that will not come. */
const PATIENCE_MS = 10_000;

/** How one state of a file came out. */
interface Attempt {
  readonly digest: string;
  readonly outcome: SourceSet | ImportError;
}

/**
 * The plugins that were loaded, by their files. Node never lets go of a module: one that were loaded anew each time would
 * leave its timers and connections behind each time, so a file is loaded once for each change of it.
 */
export class PluginModules {
  readonly #attempts = new Map<string, Attempt>();
  readonly #good = new Map<string, SourceSet>();
  #loads = 0;

  /** The last version that could be loaded. */
  lastGood(path: string): SourceSet | undefined {
    return this.#good.get(path);
  }

  /** The plugin that a file has now; throws an ImportError that says what is wrong with it. `again`: although it is the same. */
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

/** The plugin that a file has; throws an ImportError with the line, where that is known. */
async function importPlugin(path: string, loads: number): Promise<SourceSet> {
  // The query makes Node read the file again; it keeps modules by their whole address.
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

/** Whether it has the parts of an operation; the registry checks what is in them. */
function isOperation(value: unknown): boolean {
  const isWhole = isRecord(value) && isRecord(value.spec) && isRecord(value.handler);
  return isWhole && typeof value.provenance === "string";
}

/** A registry of its own refuses what the gateway's would, while the file is still known. */
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

/** The line of the file that an error is about: the first one that its stack names. */
function lineOf(error: unknown, path: string): number | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.split(basename(path)).slice(1);
  const [, line] = at.map((rest) => /^(?:\?load=\d+)?:(\d+)/.exec(rest)).find(Boolean) ?? [];
  return line === undefined ? undefined : Number(line);
}
