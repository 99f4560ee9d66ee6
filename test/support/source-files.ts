import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of the repository. */
export const ROOT = dirname(dirname(import.meta.dirname));

/** The text of every TypeScript file of a folder, by its path in that folder, in the order of the paths. */
export function readSources(folder: string): ReadonlyMap<string, string> {
  const paths = globSync("**/*.ts", { cwd: join(ROOT, folder) }).sort();
  return new Map(
    paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(ROOT, folder, path), "utf8")]),
  );
}
