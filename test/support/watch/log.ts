import { createLog as create } from "../../../src/observe/log.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/observe/log.ts";

/** The log of the product; every line is noted. */
export const createLog: typeof create = (level, write = (line) => process.stderr.write(line)) =>
  create(level, (line) => {
    transcript.gaveAway(line);
    write(line);
  });
