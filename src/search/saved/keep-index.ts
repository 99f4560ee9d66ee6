import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";

/** After a change others mostly follow; one file is written for all of them. */
const PATIENCE_MS = 10_000;

/** Keeps an index in a file: gives back what was in it, and is told when there is something new. */
export function keepIndex(file: string): {
  readonly saved: Uint8Array | undefined;
  readonly changed: (save: () => Promise<Uint8Array>) => void;
} {
  let timer: NodeJS.Timeout | undefined;
  return {
    saved: read(file),
    changed(save) {
      if (timer) return;
      timer = setTimeout(async () => {
        timer = undefined;
        // An index that cannot be kept is made again at the next start; nobody has to be told.
        await write(file, save).catch(() => {});
      }, PATIENCE_MS);
      timer.unref();
    },
  };
}

/** A file that is half written must never be read, so it gets its name when it is whole. */
async function write(file: string, save: () => Promise<Uint8Array>): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  await writeFile(unfinished, await save());
  await rename(unfinished, file);
}

function read(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
