import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** How a file is replaced. */
interface ReplaceFileOptions {
  readonly mode?: number;
  /** Looks at the new text before it takes the place of the old one; throws what keeps it from that. */
  readonly check?: (draft: string) => Promise<unknown>;
}

/** Replaces a file as a whole or not at all: readers get the old text or the new one, which is on the disk by then. */
export async function replaceFile(
  path: string,
  text: string,
  { mode = 0o666, check }: ReplaceFileOptions = {},
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(draft, "wx", mode).catch((error: unknown) => {
      // Nobody knows of the draft; what cannot be written is the file.
      throw Object.assign(error as Error, { path });
    });
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await check?.(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
