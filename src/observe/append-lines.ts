import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";

const sync = promisify(fdatasync);
const NEWLINE = 0x0a;
/** Bytes at the end of a file in which to look for the end of the last whole line. */
const INSPECTION = 8_388_608;

/** Writes like the one of Node; a test brings one that stops half-way. */
export type Write = (file: number, bytes: Uint8Array) => number;

/** Options of appendLines. */
interface AppendOptions {
  readonly write?: Write | undefined;
}

/**
 * Appends whole lines to a file, created for its owner alone. A partial write is truncated again, so
 * that each line of the file is whole; then it throws.
 */
export function appendLines(path: string, lines: string, options: AppendOptions = {}): void {
  withFile(path, (file) => writeWhole(file, Buffer.from(lines), options.write ?? writeSync));
}

/** The same, and settles when the lines are on the disk. */
export async function appendLinesSafely(
  path: string,
  lines: string,
  options: AppendOptions = {},
): Promise<void> {
  const file = openSync(path, "a", 0o600);
  try {
    writeWhole(file, Buffer.from(lines), options.write ?? writeSync);
    await sync(file);
  } finally {
    closeSync(file);
  }
}

/** Truncates a last line that a killed process left unfinished; returns the number of bytes removed. */
export function dropTornLine(path: string): number {
  return withFile(
    path,
    (file) => {
      const stat = fstatSync(file);
      const { size } = stat;
      if (!stat.isFile()) return 0;
      const end = Buffer.alloc(Math.min(size, INSPECTION));
      readSync(file, end, 0, end.length, size - end.length);
      const whole = end.lastIndexOf(NEWLINE) + 1;
      const torn = end.length - whole;
      // Another process may be writing to the file: a growing line is not torn.
      const isGrowing = fstatSync(file).size !== size;
      if (torn === 0 || isGrowing || (whole === 0 && size > INSPECTION)) return 0;
      ftruncateSync(file, size - torn);
      return torn;
    },
    "a+",
  );
}

function withFile<Result>(path: string, work: (file: number) => Result, flags = "a"): Result {
  const file = openSync(path, flags, 0o600);
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

function writeWhole(file: number, bytes: Uint8Array, write: Write): void {
  let written = 0;
  try {
    while (written < bytes.length) {
      const taken = write(file, bytes.subarray(written));
      if (taken === 0) throw new Error("Nothing more could be written.");
      written += taken;
    }
  } catch (error) {
    if (written > 0) takeOff(file, written);
    throw error;
  }
}

function takeOff(file: number, bytes: number): void {
  const stat = fstatSync(file);
  if (stat.isFile()) ftruncateSync(file, Math.max(0, stat.size - bytes));
}
