import { constants } from "node:fs";
import { copyFile } from "node:fs/promises";

/** Makes a copy beside a file that is about to be changed, and answers its path; an older copy is never overwritten. */
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
