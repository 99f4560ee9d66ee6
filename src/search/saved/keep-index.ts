import { readFile, rename, writeFile } from "node:fs/promises";

/** After a change others mostly follow; one file is written for all of them. */
const PATIENCE_MS = 10_000;

/** An index in a file. */
export interface KeptIndex {
  /** What was in the file, if there is one. */
  read(): Promise<Uint8Array | undefined>;
  /** Says that there is something new to keep. */
  changed(save: () => Promise<Uint8Array>): void;
  /** Keeps nothing any more. */
  close(): void;
}

/** Keeps an index in a file: gives back what was in it, and is told when there is something new. */
export function keepIndex(file: string): KeptIndex {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  return {
    read: () => readFile(file).catch(() => undefined),
    changed(save) {
      if (timer || isClosed) return;
      timer = setTimeout(async () => {
        timer = undefined;
        // An index that cannot be kept is made again at the next start; nobody has to be told.
        await write(file, save).catch(() => {});
      }, PATIENCE_MS);
      timer.unref();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** A file that is half written must never be read, so it gets its name when it is whole. */
async function write(file: string, save: () => Promise<Uint8Array>): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  await writeFile(unfinished, await save());
  await rename(unfinished, file);
}
