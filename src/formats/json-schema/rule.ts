import type { UnknownRecord } from "../../core/index.ts";
import type { Run } from "./run.ts";
import type { Seen } from "./seen.ts";

/** Decides whether a value fits; says why not to `run.failures` where that is wanted. */
export type Check = (value: unknown, run: Run, path: string, seen: Seen | undefined) => boolean;

/** Makes the check of one keyword, or nothing if what the keyword says is of no use. */
export type Rule = (schema: UnknownRecord, sub: Subschema) => Check | undefined;

/** The check of a subschema, compiled when it is first needed. */
export type Subschema = (schema: unknown) => Check;
