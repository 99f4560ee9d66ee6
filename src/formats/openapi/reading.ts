import type { Dialect } from "./check-document.ts";
import type { ApiError, SecurityScheme } from "./model.ts";
import type { References } from "./references.ts";
import type { SchemaPool } from "./schema-pool.ts";

/** As what a part of a document is read; one and the same part may be used as several. */
export type PartKind = "body" | "parameter" | "response" | "security";

/** What all readers of one document share. */
export interface Reading {
  readonly dialect: Dialect;
  readonly references: References;
  /** The schemas of what is sent. */
  readonly pool: SchemaPool;
  /** The schemas of what comes back: the same pool, unless the document tells the two directions apart. */
  readonly answers: SchemaPool;
  /** The ways to prove who calls, by the names that the document gives them. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  /** The errors found so far, by all that they say: most operations of a document fail alike. */
  readonly errors: Map<string, ApiError>;
  /** Makes what a part of the document becomes as this, once for all operations that share the part. */
  once<Made extends object>(as: PartKind, part: object, make: () => Made): Made;
  /** Notes what could not be taken over from the operation that is being read. */
  warn(message: string): void;
}
