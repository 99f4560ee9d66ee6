import { isRecord } from "../core/index.ts";
import type { ConfigProblem } from "./config-error.ts";
import type { LoadedConfig } from "./load.ts";
import { acceptsAnonymous } from "./rules.ts";

/** Keys whose last entry must not get lost by accident, and the value that removes it on purpose. */
const KEPT = [
  ["identities", "[]"],
  ["issuers", "[]"],
  ["deny", "[]"],
  ["sources", "{}"],
] as const;

/**
 * Finds protections of a running gateway that its next config drops. A file that was cut short, or is being written,
 * looks the same, so the config must remove each of them in writing.
 */
export function takenAway(before: LoadedConfig, after: LoadedConfig): readonly ConfigProblem[] {
  const problem = (keys: readonly string[], removal: string): ConfigProblem => ({
    ...after.placeOf(keys),
    message: `was there before and is gone, as if the file were cut short. Write ${removal} if that is meant.`,
  });
  const missing = KEPT.filter(
    ([key]) =>
      sizeOf(before.config[key]) > 0 && sizeOf(after.config[key]) === 0 && after.written[key] === undefined,
  ).map(([key, nothing]) => problem([key], `${key}: ${nothing}`));
  const opens =
    writtenAnonymous(before) === false && writtenAnonymous(after) !== true && acceptsAnonymous(after.config);
  return opens ? [...missing, problem(["access", "anonymous"], "access: { anonymous: true }")] : missing;
}

function sizeOf(value: object): number {
  return Object.keys(value).length;
}

function writtenAnonymous({ written: { access } }: LoadedConfig): unknown {
  return isRecord(access) ? access.anonymous : undefined;
}
