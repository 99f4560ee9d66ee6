import type { Span } from "./context.ts";
import type { JsonSchema, UnknownRecord } from "./json.ts";

/** One place where a value does not fit its schema; `path` is a JSON pointer into the value. */
export interface SchemaProblem {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** Thrown by a validator for a schema that it cannot work with: it is the schema's fault, not the value's. */
export class SchemaUnusable extends Error {}

/** Thrown by a validator where checking a value takes too long. Schemas that say the same in many ways do so for any value. */
export class ValueTooComplex extends SchemaUnusable {}

/** Checks values against schemas; must not hang or crash on any schema. */
export interface SchemaValidator {
  /** The problems found, none when the value fits. Throws SchemaUnusable. */
  check(schema: JsonSchema, value: unknown): readonly SchemaProblem[];
  /** The problem of a schema itself, with its path; undefined if the schema is valid. */
  problemOfSchema(schema: unknown): string | undefined;
}

/** Takes parts out of an output by an expression of the caller. */
export interface Selector {
  /** The problem of the expression; undefined if it can run. */
  problemOf(expression: string): string | undefined;
  /** Runs the expression; throws an Error whose message is meant for the caller. */
  select(expression: string, value: unknown): unknown;
}

/** The log of core, which callers never see. */
export interface Log {
  /** Used by operations only; a log without this method drops the line. */
  debug?(message: string, fields?: UnknownRecord): void;
  /** As `debug`. */
  info?(message: string, fields?: UnknownRecord): void;
  warn(message: string, fields?: UnknownRecord): void;
  error(message: string, fields?: UnknownRecord): void;
}

/** A log that keeps nothing. */
export const SILENT_LOG: Log = { warn: () => {}, error: () => {} };

/**
 * The HTTP client of operations. Core has no network: hosts bring it, and decide which addresses are called and
 * how large an answer may be.
 */
export type OutboundFetch = (url: string | URL, init: RequestInit) => Promise<Response>;

/** One finished call: who, what, how it ended; never inputs, outputs or secrets. */
export interface AuditEntry {
  readonly requestId: string;
  /** The call that composes it, or the batch that it is an item of. */
  readonly parentRequestId: string | undefined;
  /** True: another operation called it; false: it came from outside. */
  readonly composed: boolean;
  /** The id under which another node ran the call, as that node says. */
  readonly remoteRequestId: string | undefined;
  readonly principal: string;
  readonly identity: string;
  /** Unproven information from the wire. */
  readonly forwardedFor: string | undefined;
  /** The name as asked for where no operation was found. */
  readonly operation: string;
  /** The preset that the caller named instead. */
  readonly preset?: string | undefined;
  /** Undefined where the caller was not shown any operation of that name. */
  readonly namespace: string | undefined;
  /** `refused`: it ended before the code of the operation began. */
  readonly decision: "allowed" | "refused";
  /** `ok`, `dry`, or the code of the error. */
  readonly outcome: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly milliseconds: number;
  /** As JSON; of composed calls only what goes out is measured, so both are 0. */
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly traceparent: string | undefined;
  /** The call's own place in a trace, where traces are kept. */
  readonly span: Span | undefined;
}

/** Input and output of a finished call, for an audit that is told to keep them. */
export interface AuditContent {
  readonly input: unknown;
  /** Undefined where the call failed or streamed. */
  readonly output: unknown;
}

/** Receives every finished call. */
export type Audit = (entry: AuditEntry, content: AuditContent) => void;

/** Keeps calls from running whose records cannot be written, where an audit is required. */
export interface AuditGate {
  /** Throws a CallError where records cannot be written at the moment. */
  admit(): void;
  /** Settles when the records of all calls that have ended are safe; throws a CallError where they are not. */
  written(): Promise<void>;
}
