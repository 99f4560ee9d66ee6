import { isRecord, type UnknownRecord } from "../../core/index.ts";

/** Thrown for a document that is not read at all; the message says why. */
export class DocumentRefused extends Error {
  override readonly name = "DocumentRefused";
}

/** What separates the versions of the format for a reader. */
export type Dialect = "swagger-2" | "openapi-3.0" | "openapi-3.1";

/** How large and how deep a document may be; the largest public ones have some two million values. */
export interface DocumentLimits {
  readonly maxValues: number;
  readonly maxDepth: number;
}

/** What a look at every value has found out. */
export interface DocumentFacts {
  /** Some properties are for requests only. */
  readonly hasWriteOnly: boolean;
}

const LIMITS: DocumentLimits = { maxValues: 8_000_000, maxDepth: 300 };

/** The version that a document says it has; throws a DocumentRefused for any other. */
export function dialectOf(document: unknown): { readonly root: UnknownRecord; readonly dialect: Dialect } {
  if (!isRecord(document))
    throw new DocumentRefused("This is no OpenAPI document: it holds no object at its top.");
  const { swagger, openapi } = document;
  if (String(swagger).startsWith("2")) return { root: document, dialect: "swagger-2" };
  if (String(openapi).startsWith("3.0")) return { root: document, dialect: "openapi-3.0" };
  if (String(openapi).startsWith("3.")) return { root: document, dialect: "openapi-3.1" };
  const found = openapi ?? swagger;
  throw new DocumentRefused(
    found === undefined
      ? "This is no OpenAPI document: it has neither `openapi` nor `swagger` at its top."
      : `This is a document of version ${JSON.stringify(found)?.slice(0, 40)}; versions 2.0 and 3.x are read.`,
  );
}

/**
 * Refuses a document that is too large or too deep. Values that are shared or contain themselves, as aliases of YAML
 * make them, count each time that they are met: that is how often whoever walks the document meets them.
 */
export function checkSize(document: unknown, limits: DocumentLimits = LIMITS): DocumentFacts {
  let values = 0;
  let hasWriteOnly = false;
  const visit = (value: unknown, depth: number): void => {
    if (++values > limits.maxValues) {
      throw new DocumentRefused(
        `The document has more than ${limits.maxValues} values, once all its aliases are written out.`,
      );
    }
    if (typeof value !== "object" || value === null) return;
    if (depth > limits.maxDepth)
      throw new DocumentRefused(`The document is nested deeper than ${limits.maxDepth} levels.`);
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    else
      for (const key in value) {
        hasWriteOnly ||= key === "writeOnly";
        visit((value as UnknownRecord)[key], depth + 1);
      }
  };
  visit(document, 0);
  return { hasWriteOnly };
}
