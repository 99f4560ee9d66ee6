import { access, constants, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigError } from "./config-error.ts";
import { loadConfig } from "./load.ts";
import { CONFIG_FILE, readConfigFile } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";
import type { SourceKinds } from "./source-kinds.ts";

/** A configuration that is about to be changed. */
export interface EditableConfig {
  /** Where it lies, or will lie. */
  readonly file: string;
  /** The file as it is shown to people. */
  readonly shown: string;
  /** Empty where there is none yet. */
  readonly text: string;
  readonly exists: boolean;
}

/** The named configuration or `pinhole.yaml` in the directory, whether it exists or not. */
export async function readEditable(named: string | undefined, directory: string): Promise<EditableConfig> {
  const read = await readConfigFile(named, directory);
  if (read) return { ...read, exists: true };
  return { file: join(directory, CONFIG_FILE), shown: CONFIG_FILE, text: "", exists: false };
}

/**
 * Writes a configuration as a whole or not at all: a text that could not be loaded is refused with all that is wrong
 * with it, and whoever reads the file meanwhile sees the old one or the new one.
 */
export async function writeConfig(
  { file, shown }: Pick<EditableConfig, "file" | "shown">,
  text: string,
  kinds: SourceKinds,
): Promise<void> {
  // What a link leads to is changed, not the link.
  const target = await realpath(file).catch(() => file);
  await access(target, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    // A new file in its place would not be what whoever made it read-only wants.
    if (error.code !== "ENOENT") throw error;
  });
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  const check = (draft: string) =>
    loadConfig({ file: draft, directory: dirname(target) }, kinds).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(
        error.problems.map((problem) => (problem.file === undefined ? problem : { ...problem, file: shown })),
      );
    });
  await replaceFile(target, text, { mode, check });
}
