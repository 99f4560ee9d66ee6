import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Log } from "../../../core/index.ts";

/** After a change others mostly follow; one file is written for all of them. */
const PATIENCE_MS = 10_000;

/** An index in a file. */
export interface KeptIndex {
  /** What was in the file, if there is one. Removes what an earlier process has left unfinished. */
  read(): Promise<Uint8Array | undefined>;
  /** Says that there is something new to keep. */
  changed(save: () => Promise<Uint8Array>): void;
  /** Stops keeping. */
  close(): void;
}

/** Keeps an index in a file: gives back what was in it, and is told when there is something new. */
export function keepIndex(file: string, log: Log): KeptIndex {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  return {
    async read() {
      await removeUnfinished(file).catch(() => {});
      return readFile(file).catch(() => undefined);
    },
    changed(save) {
      if (timer || isClosed) return;
      timer = setTimeout(async () => {
        timer = undefined;
        await write(file, save).catch((error: unknown) =>
          log.warn("The search index cannot be kept; the next start makes it again", {
            file,
            reason: String(error),
          }),
        );
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
  try {
    // It holds what all sources say, also to those who may not see it here.
    await writeFile(unfinished, await save(), { mode: 0o600 });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Those of processes that have ended; another gateway may be writing its own. */
async function removeUnfinished(file: string): Promise<void> {
  const [folder, name] = [dirname(file), basename(file)];
  for (const each of await readdir(folder)) {
    const pid = each.startsWith(`${name}.`) ? /^\.(\d+)\.tmp$/.exec(each.slice(name.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, each), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
