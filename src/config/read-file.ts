import { createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ConfigError } from "./config-error.ts";

/** The name under which the configuration is looked for. */
export const CONFIG_FILE = "pinhole.yaml";

const MAX_BYTES = 1_048_576;
/** Between two looks at a file that must be the same at both: longer than a save leaves it cut. */
const SETTLE_MS = 10;
const MOST_LOOKS = 50;

/** A configuration file, read. */
interface ConfigFile {
  readonly file: string;
  /** The file as it is shown to people: short where it lies in the directory. */
  readonly shown: string;
  readonly text: string;
}

/** Reads the named file, or `pinhole.yaml` in the directory; undefined where none was named and none is there. */
export async function readConfigFile(
  named: string | undefined,
  directory: string,
): Promise<ConfigFile | undefined> {
  const file = resolve(directory, named ?? CONFIG_FILE);
  const inside = relative(directory, file);
  const shown = inside.startsWith("..") || isAbsolute(inside) ? file : inside;
  try {
    return { file, shown, text: await readSettled(file) };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === "ENOENT" && named === undefined) return refuseMisnamed(directory);
    throw new ConfigError([{ file: shown, path: "", message: sentenceFor(reason) }]);
  }
}

/** The text once it is the same twice: most programs that save a file empty it first. */
async function readSettled(file: string): Promise<string> {
  let text = await readText(file);
  // What a pipe has said is gone when it is read again.
  if (!(await stat(file)).isFile()) return text;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    await pause(SETTLE_MS);
    const again = await readText(file);
    if (again === text) return text;
    text = again;
  }
  throw new Unsettled();
}

class Unsettled extends Error {}

async function readText(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Read as a stream, so that a device or a pipe cannot send more than fits.
  for await (const chunk of createReadStream(file, { end: MAX_BYTES })) {
    chunks.push(chunk);
    size += chunk.length;
  }
  if (size > MAX_BYTES) throw new RangeError("too large");
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

/** A file that was probably meant must not be passed over in silence: it may hold what is forbidden. */
async function refuseMisnamed(directory: string): Promise<undefined> {
  const misnamed = "pinhole.yml";
  const exists = await access(join(directory, misnamed)).then(
    () => true,
    () => false,
  );
  if (!exists) return undefined;
  const message = `is not read by itself. Rename it to ${CONFIG_FILE}, or name it with --config.`;
  throw new ConfigError([{ file: misnamed, path: "", message }]);
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "TOO_LARGE";
  if (error instanceof Unsettled) return "UNSETTLED";
  return error instanceof Error && "code" in error ? String(error.code) : "UNKNOWN";
}

function sentenceFor(reason: string): string {
  switch (reason) {
    case "ENOENT":
      return "There is no such file. Check the path, or leave it out to run on the defaults.";
    case "EISDIR":
      return `This is a directory. Name the file in it, such as ${CONFIG_FILE}.`;
    case "EACCES":
    case "EPERM":
      return "This file may not be read. Check its permissions.";
    case "UNSETTLED":
      return "The file changes again and again while it is read. Save it once more when that has ended.";
    case "TOO_LARGE":
      return `The file is larger than ${MAX_BYTES} bytes. Is it the right one?`;
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return "The file is not UTF-8 text. Save it as UTF-8.";
    default:
      return `The file cannot be read (${reason}).`;
  }
}
