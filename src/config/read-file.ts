import { createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ConfigError } from "./config-error.ts";

/** Default name of the configuration. */
export const CONFIG_FILE = "pinhole.yaml";

const MAX_BYTES = 1_048_576;
/** Time between two reads that must agree: longer than a save leaves the file incomplete. */
const SETTLE_MS = 10;
const MOST_READS = 50;

/** A configuration file and its text. */
interface ConfigFile {
  readonly file: string;
  /** The path as messages show it: relative if it lies in the directory. */
  readonly displayPath: string;
  readonly text: string;
}

/** Reads the named file, or `pinhole.yaml` in the directory; undefined if none was named and none is there. */
export async function readConfigFile(
  named: string | undefined,
  directory: string,
): Promise<ConfigFile | undefined> {
  const file = resolve(directory, named ?? CONFIG_FILE);
  const inside = relative(directory, file);
  const displayPath = inside.startsWith("..") || isAbsolute(inside) ? file : inside;
  try {
    return { file, displayPath, text: await readSettled(file) };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === "ENOENT" && named === undefined) return refuseMisnamed(directory);
    throw new ConfigError([{ file: displayPath, path: "", message: sentenceFor(reason) }]);
  }
}

/** Reads until two reads agree: most programs that save a file empty it first. */
async function readSettled(file: string): Promise<string> {
  let text = await readText(file);
  // A pipe can be read only once.
  if (!(await stat(file)).isFile()) return text;
  for (let reads = 0; reads < MOST_READS; reads++) {
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
  // As a stream, so that a device or a pipe cannot send more than fits.
  for await (const chunk of createReadStream(file, { end: MAX_BYTES })) {
    chunks.push(chunk);
    size += chunk.length;
  }
  if (size > MAX_BYTES) throw new RangeError("too large");
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

/** A file that was probably meant must not be ignored silently: it may deny something. */
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
      return "The file keeps changing while it is read. Save it again once that has ended.";
    case "TOO_LARGE":
      return `The file is larger than ${MAX_BYTES} bytes. Is it the right one?`;
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return "The file is not UTF-8 text. Save it as UTF-8.";
    default:
      return `The file cannot be read (${reason}).`;
  }
}
