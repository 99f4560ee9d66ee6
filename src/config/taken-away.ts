import { isRecord } from "../core/index.ts";
import type { ConfigProblem } from "./config-error.ts";
import type { LoadedConfig } from "./load.ts";
import { letsAnonymousIn } from "./rules.ts";

/** Keys whose last entry must not be lost by accident, and how to say that it is meant to go. */
const KEPT = [
  ["identities", "[]"],
  ["issuers", "[]"],
  ["deny", "[]"],
  ["sources", "{}"],
] as const;

/**
 * What protects a running gateway and is gone from its next config without a word. A file that was cut short, or is
 * being written, looks just like that, so each must be said to go.
 */
export function takenAway(before: LoadedConfig, after: LoadedConfig): readonly ConfigProblem[] {
  const problem = (keys: readonly string[], said: string): ConfigProblem => ({
    ...after.placeOf(keys),
    message: `was there before and is gone, as if the file were cut short. Write ${said} if that is meant.`,
  });
  const missing = KEPT.filter(
    ([key]) =>
      sizeOf(before.config[key]) > 0 && sizeOf(after.config[key]) === 0 && after.said[key] === undefined,
  ).map(([key, nothing]) => problem([key], `${key}: ${nothing}`));
  const opens =
    saidAnonymous(before) === false && saidAnonymous(after) !== true && letsAnonymousIn(after.config);
  return opens ? [...missing, problem(["access", "anonymous"], "access: { anonymous: true }")] : missing;
}

function sizeOf(value: object): number {
  return Object.keys(value).length;
}

function saidAnonymous({ said: { access } }: LoadedConfig): unknown {
  return isRecord(access) ? access.anonymous : undefined;
}
