import type { JsonSchema, UnknownRecord } from "./json.ts";
import { namespaceOf } from "./name.ts";

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

/** Access to one thing out of many: the id is found in the input at `idPath`, a JSON pointer. */
export interface ResourceAccess {
  readonly type: string;
  readonly action: string;
  readonly idPath: string;
}

/** Who may call. Nothing set: anyone. */
export interface AccessControl {
  readonly authenticated?: boolean;
  /** All of these. */
  readonly scopes?: readonly string[];
  /** One of these. */
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
  /** What to use instead. */
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

/** What must be said of an operation; the rest has defaults. */
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
