import type { UnknownRecord } from "../../core/index.ts";
import type { Run } from "./run.ts";
import type { Seen } from "./seen.ts";

/** Decides whether a value is valid; adds the reason to `run.failures` if it collects. */
export type Check = (value: unknown, run: Run, path: string, seen: Seen | undefined) => boolean;

/** Compiles the check of one keyword; undefined if its value is unusable. */
export type Rule = (schema: UnknownRecord, sub: Subschema) => Check | undefined;

/** The check of a subschema, compiled when it is first needed. */
export type Subschema = (schema: unknown) => Check;
