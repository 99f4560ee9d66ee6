import { constants } from "node:fs";
import { copyFile } from "node:fs/promises";

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
