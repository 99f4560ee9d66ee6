import type { JsonSchema, UnknownRecord } from "./json.ts";

/** `query` reads, `mutation` has effects, `subscription` streams zero or more results. */
export const OPERATION_TYPES = ["query", "mutation", "subscription"] as const;

/** One of the types of operations. */
export type OperationType = (typeof OPERATION_TYPES)[number];

/** `external`: callable from a wire. `internal`: only composable; from a wire it does not exist. */
export type Visibility = "external" | "internal";

/** An error that an operation promises, under a code of its own. */
export interface ErrorDefinition {
  /** A code that ends in `*` covers all codes with that beginning. */
  readonly code: string;
  readonly description: string;
  readonly schema?: JsonSchema;
  readonly httpStatus?: number;
  readonly retryable?: boolean;
}

/** Access to single resources out of many: to the one that the input names, or to a list of those that the caller has. */
export type ResourceAccess = { readonly type: string; readonly action: string } & (
  | {
      /** JSON pointer to the id in the input. */
      readonly idPath: string;
      readonly list?: undefined;
    }
  | {
      /** The property of the input that receives the ids of what the caller has, at most 1,000. */
      readonly list: { readonly argument: string };
      readonly idPath?: undefined;
    }
);

/** Requirements on callers; an empty record admits anyone. */
export interface AccessControl {
  readonly authenticated?: boolean;
  /** The caller needs all of these. */
  readonly scopes?: readonly string[];
  /** The caller needs one of these. */
  readonly anyScope?: readonly string[];
  readonly resource?: ResourceAccess;
}

/** Everything about an operation but the code that runs it. */
export interface OperationSpec {
  readonly name: string;
  readonly namespace: string;
  readonly type: OperationType;
  readonly visibility: Visibility;
  readonly title?: string;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly version?: string;
  /** The operation to use instead. */
  readonly deprecated?: string;
  readonly aliases?: readonly string[];
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly errors: readonly ErrorDefinition[];
  readonly access: AccessControl;
  readonly mutates: boolean;
  /** Running it twice with the same input has the effect of running it once. */
  readonly idempotent?: boolean;
  /** The handler runs in a dry run too, is told so by `context.dryRun`, and changes nothing then. */
  readonly dry?: "handled";
  /** An upstream's own hints, kept for display and policy. */
  readonly annotations?: UnknownRecord;
}

/** The required parts of a spec; the rest has defaults. */
export type SpecDraft = Pick<OperationSpec, "name" | "type" | "description"> &
  Partial<Omit<OperationSpec, "name" | "type" | "description" | "namespace">>;

/** The input schema of an operation that takes nothing. */
export const NO_INPUT: JsonSchema = Object.freeze({
  type: "object",
  properties: {},
  additionalProperties: false,
});

/** Completes a draft with the defaults: external, no input, any output, open to anyone. */
export function completeSpec(draft: SpecDraft): OperationSpec {
  return {
    visibility: "external",
    inputSchema: NO_INPUT,
    outputSchema: true,
    errors: [],
    access: {},
    ...draft,
    namespace: namespaceOf(draft.name),
    mutates: draft.mutates ?? draft.type === "mutation",
  };
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.-]+)+$/;

/**
 * The namespaces of the gateway's own operations. No source registers anything in them, and nothing in them is imported
 * from another node.
 */
export const RESERVED_NAMESPACES: ReadonlySet<string> = new Set([
  "services",
  "sources",
  "offers",
  "refs",
  "store",
  "routine",
  "calls",
  "access",
]);

/** The longest name that an operation may have. */
export const MAX_NAME_LENGTH = 200;

/** The name as the registry knows it: a caller may write `/github/create_issue` too. */
export function normaliseName(given: string): string {
  return given.startsWith("/") ? given.slice(1) : given;
}

/** A name as a caller wrote it, cut so that an invalid one cannot flood a message or a log. */
export function shownName(given: string): string {
  return given.length <= MAX_NAME_LENGTH ? given : `${given.slice(0, MAX_NAME_LENGTH - 1)}…`;
}

/** The first segment of a name: `github` of `github/create_issue`. */
export function namespaceOf(name: string): string {
  const slash = name.indexOf("/");
  return slash === -1 ? name : name.slice(0, slash);
}

/** The part after the last slash: `create_issue` of `github/create_issue`. */
export function lastSegmentOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The problem of a name, as the rest of a sentence; undefined if it is valid. */
export function problemOfName(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters`;
  if (!NAME.test(name)) return "is not of the form namespace/name with letters, digits, '_', '.' and '-'";
  return undefined;
}
