import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of this package, from the nearest package.json above this file. */
export function packageVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return version;
}

/** A random id for a node without a configured one; it lasts as long as the process. */
export function makeNodeId(): string {
  return randomBytes(8).toString("hex");
}
