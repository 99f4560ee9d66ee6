import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ImportError,
  isRecord,
  type Log,
  messageOf,
  RegistrationError,
  Registry,
  type SourceSet,
  type UnknownRecord,
} from "../../core/index.ts";
import { loadFailure } from "./load-failure.ts";
import { openLoad, type PluginLoad } from "./plugin-loads.ts";
import { withOptions } from "./plugin-options.ts";
import { readPlugin } from "./read-plugin.ts";

/** A module that takes longer than this to load probably waits for ever. */
const PATIENCE_MS = 10_000;

const require = createRequire(import.meta.url);

/** Calls that run on a version when another takes its place have this long. */
const CLOSE_AFTER_MS = 30_000;
const CLOSING_MS = 5_000;

/** A plugin as the config names it. Under other options it is loaded anew. */
interface PluginFile {
  readonly path: string;
  readonly options?: UnknownRecord;
}

function keyOf({ path, options = {} }: PluginFile): string {
  return JSON.stringify([path, options]);
}

interface Attempt {
  readonly digest: string;
  readonly files: ReadonlySet<string>;
  readonly outcome: SourceSet | ImportError;
}

/**
 * Loaded plugins by file. Node never unloads a module: loading it again keeps the old one in memory, with its timers and
 * connections, so a plugin is loaded once per change of its files.
 */
export class PluginModules {
  readonly #attempts = new Map<string, Attempt>();
  readonly #good = new Map<string, SourceSet>();

  readonly #ending = new Map<SourceSet, NodeJS.Timeout>();
  readonly #users = new Map<SourceSet, number>();

  /** Notes that a source uses a version, which is not closed meanwhile. */
  use(set: SourceSet): void {
    clearTimeout(this.#ending.get(set));
    this.#ending.delete(set);
    this.#users.set(set, (this.#users.get(set) ?? 0) + 1);
  }

  /** Notes that a source no longer uses a version. Without a user it is closed, after the calls that it may still run. */
  release(set: SourceSet, log: Log): void {
    const users = (this.#users.get(set) ?? 0) - 1;
    this.#users.set(set, users);
    if (users > 0) return;
    const end = () => void this.#close(set, log);
    this.#ending.set(set, setTimeout(end, CLOSE_AFTER_MS).unref());
  }

  /** Closes the versions that no source uses at once; the gateway stops, and no calls run. */
  async close(log: Log): Promise<void> {
    await Promise.all([...this.#ending.keys()].map((set) => this.#close(set, log)));
  }

  async #close(set: SourceSet, log: Log): Promise<void> {
    clearTimeout(this.#ending.get(set));
    this.#ending.delete(set);
    this.#users.delete(set);
    const { close, source } = set;
    if (!close) return;
    // It could not be used again.
    for (const [path, attempt] of this.#attempts) if (attempt.outcome === set) this.#attempts.delete(path);
    for (const [path, good] of this.#good) if (good === set) this.#good.delete(path);
    const reason = await Promise.race([closed(close), closesTooLong()]).catch(messageOf);
    if (reason !== undefined) log.warn("A plugin did not close", { source: source.name, reason });
  }

  /** The last version that loaded. */
  lastGood(plugin: PluginFile): SourceSet | undefined {
    return this.#good.get(keyOf(plugin));
  }

  /** The plugin's file and those of its helper modules, as far as they were reached. */
  filesOf(plugin: PluginFile): readonly string[] {
    return [...(this.#attempts.get(keyOf(plugin))?.files ?? [plugin.path])];
  }

  /** Loads the plugin in a file, `again` even if its files are unchanged and failed before. Throws an ImportError. */
  async load(plugin: PluginFile, again = false): Promise<SourceSet> {
    const { path } = plugin;
    const before = this.#attempts.get(keyOf(plugin));
    const isKnown =
      before?.digest === (await digestOf(path, before?.files)) &&
      !(again && before.outcome instanceof ImportError);
    const attempt = isKnown ? before : await this.#attempt(plugin);
    if (attempt.outcome instanceof ImportError) throw attempt.outcome;
    this.#good.set(keyOf(plugin), attempt.outcome);
    return attempt.outcome;
  }

  async #attempt(plugin: PluginFile): Promise<Attempt> {
    const before = this.filesOf(plugin);
    const load = openLoad(plugin.path);
    const outcome = await importPlugin(plugin, load, before).catch((error: ImportError) => error);
    const attempt = { digest: await digestOf(plugin.path, load.files), files: load.files, outcome };
    this.#attempts.set(keyOf(plugin), attempt);
    return attempt;
  }
}

/** A digest of the plugin's files; helpers that are missing or cannot be read are part of it as such. */
async function digestOf(path: string, files: ReadonlySet<string> = new Set()): Promise<string> {
  const digest = createHash("sha256").update(await readPluginFile(path));
  for (const file of files) {
    if (file === path) continue;
    const text = await readFile(file).catch(() => "missing");
    digest.update(`\n${file} ${text.length}\n`).update(text);
  }
  return digest.digest("hex");
}

async function readPluginFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    const reason = code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${code}).`;
    throw new ImportError("TRANSPORT", `${reason} Put the plugin there, or correct the path.`, error);
  }
}

/** Imports the plugin in a file. Throws an ImportError with the line, if known. */
async function importPlugin(
  { path, options = {} }: PluginFile,
  { url, files }: PluginLoad,
  before: readonly string[],
): Promise<SourceSet> {
  const module: unknown = await Promise.race([importAgain(url, before), tooLong(path)]).catch(
    async (cause: unknown) => {
      throw cause instanceof ImportError ? cause : await loadFailure(path, [...files], cause);
    },
  );
  try {
    const set = isRecord(module) ? readPlugin(await withOptions(module, options)) : undefined;
    // Checked with a registry of its own, while the file is still known.
    new Registry().apply({ replace: set ? [set] : [] });
    if (set) return set;
  } catch (error) {
    if (error instanceof ImportError) throw error;
    if (!(error instanceof RegistrationError)) throw await loadFailure(path, [...files], error);
    throw new ImportError(error.code, `${path}: ${error.message} Fix it and save it.`, error);
  }
  throw new ImportError(
    "SCHEMA_PARSE",
    `${path} has no plugin as its default export. Write: export default { name, description, operations: [ … ] }.`,
  );
}

async function importAgain(url: string, before: readonly string[]): Promise<unknown> {
  reloadCommonJs(before);
  return import(url);
}

/** Has Node read CommonJS modules again, which it caches by file. An `import` finds only those that `require` has loaded. */
function reloadCommonJs(files: Iterable<string>): void {
  const cached = [...files].filter((file) => file in require.cache);
  for (const file of cached) delete require.cache[file];
  for (const file of cached) require(file);
}

async function closed(close: () => unknown): Promise<undefined> {
  await close();
}

async function closesTooLong(): Promise<string> {
  await sleep(CLOSING_MS, undefined, { ref: false });
  return `It has not ended within ${CLOSING_MS / 1_000} s.`;
}

async function tooLong(path: string): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw new ImportError(
    "DISCOVERY_FAILED",
    `${path} has not finished loading within ${PATIENCE_MS / 1_000} s. Wait for nothing outside of handlers.`,
  );
}
