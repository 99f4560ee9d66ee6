import { randomBytes } from "node:crypto";
import { access, constants, copyFile, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ConfigError } from "./config-error.ts";
import { loadConfig } from "./load.ts";
import { CONFIG_FILE, readConfigFile } from "./read-file.ts";
import type { SourceKinds } from "./source-kinds.ts";

/** A configuration that is about to be changed. */
export interface EditableConfig {
  /** Its path, even if it does not exist yet. */
  readonly file: string;
  /** The path as messages show it. */
  readonly displayPath: string;
  /** Empty if there is no file yet. */
  readonly text: string;
  readonly exists: boolean;
}

/** The named configuration or `pinhole.yaml` in the directory, whether it exists or not. */
export async function readEditable(named: string | undefined, directory: string): Promise<EditableConfig> {
  const read = await readConfigFile(named, directory);
  if (read) return { ...read, exists: true };
  return { file: join(directory, CONFIG_FILE), displayPath: CONFIG_FILE, text: "", exists: false };
}

/** Overwrites a configuration; refuses a text that could not be loaded, with everything that is wrong with it. */
export function writeConfig(
  { file, displayPath }: Pick<EditableConfig, "file" | "displayPath">,
  text: string,
  kinds: SourceKinds,
): Promise<void> {
  return overwriteFile(file, text, (draft) =>
    loadConfig({ file: draft, directory: dirname(draft) }, kinds).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(
        error.problems.map((problem) =>
          problem.file === undefined ? problem : { ...problem, file: displayPath },
        ),
      );
    }),
  );
}

/** Overwrites a file that people edit: keeps its mode, changes the target of a link, and refuses a read-only file. */
export async function overwriteFile(
  file: string,
  text: string,
  check?: (draft: string) => Promise<unknown>,
): Promise<void> {
  const target = await realpath(file).catch(() => file);
  await access(target, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    // Renaming would succeed, against the wish of the person who made it read-only.
    if (error.code !== "ENOENT") throw error;
  });
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  await writeFileAtomically(target, text, { mode, ...(check && { check }) });
}

/** Replaces a file as a whole or not at all: readers get the old text or the new one, which is on the disk by then. */
export async function writeFileAtomically(
  path: string,
  text: string,
  options: {
    readonly mode?: number;
    /** Checks the new text in its draft; throws to keep the old file. */
    readonly check?: (draft: string) => Promise<unknown>;
  } = {},
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(draft, "wx", options.mode ?? 0o666).catch((error: unknown) => {
      // The draft means nothing to the reader of the message.
      throw Object.assign(error as Error, { path });
    });
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await options.check?.(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Copies a file before it is changed, and returns the path of the copy; never overwrites an older copy. */
export async function keepCopy(file: string): Promise<string> {
  for (let count = 0; ; count++) {
    const copy = `${file}.bak${count === 0 ? "" : `.${count}`}`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
