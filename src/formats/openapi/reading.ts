import type { Steps } from "../../core/index.ts";
import type { Dialect } from "./check-document.ts";
import type { ApiError, SecurityScheme } from "./model.ts";
import type { References } from "./references.ts";
import type { SchemaPool } from "./schema-pool.ts";

/** As what a part of a document is read; one and the same part may be used as several. */
export type PartKind = "body" | "parameter" | "response";

/** Shared state of all readers of one document. */
export interface Reading {
  readonly dialect: Dialect;
  readonly references: References;
  /** The schemas of requests. */
  readonly pool: SchemaPool;
  /** The schemas of responses: the same pool, unless the document has readOnly or writeOnly properties. */
  readonly answers: SchemaPool;
  /** The security schemes by their names in the document. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  /** The errors found so far, by all that they say: most operations of a document fail alike. */
  readonly errors: Map<string, ApiError>;
  /** Makes what a part of the document becomes as this, once for all operations that share the part. */
  once<Made extends object>(as: PartKind, part: object, make: () => Steps<Made>): Steps<Made>;
  /** Adds a warning about the current operation. */
  warn(message: string): void;
}
