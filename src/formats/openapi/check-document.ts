import type { Steps } from "../../core/index.ts";
import { isRecord, type UnknownRecord } from "../../core/index.ts";

/** Thrown for a document that cannot be read; the message says why. */
export class DocumentRefused extends Error {
  override readonly name = "DocumentRefused";
}

/** Versions of the format with different rules. */
export type Dialect = "swagger-2" | "openapi-3.0" | "openapi-3.1";

/** Limits of a document; the largest public ones have about two million values. */
export interface DocumentLimits {
  readonly maxValues: number;
  readonly maxDepth: number;
}

/** Result of the check of a document. */
interface DocumentFacts {
  /** Some properties are for requests only. */
  readonly hasWriteOnly: boolean;
}

/** Number of values visited in one step. */
const STEP = 5_000;
const LIMITS: DocumentLimits = { maxValues: 8_000_000, maxDepth: 300 };

/** The version that a document says it has; throws a DocumentRefused for any other. */
export function dialectOf(document: unknown): { readonly root: UnknownRecord; readonly dialect: Dialect } {
  if (!isRecord(document))
    throw new DocumentRefused("This is not an OpenAPI document: its root is not an object.");
  const { swagger, openapi } = document;
  if (String(swagger).startsWith("2")) return { root: document, dialect: "swagger-2" };
  if (String(openapi).startsWith("3.0")) return { root: document, dialect: "openapi-3.0" };
  if (String(openapi).startsWith("3.")) return { root: document, dialect: "openapi-3.1" };
  const found = openapi ?? swagger;
  throw new DocumentRefused(
    found === undefined
      ? "This is not an OpenAPI document: it has neither `openapi` nor `swagger` at its root."
      : `This is a document of version ${shown(found)}; versions 2.0 and 3.x are read.`,
  );
}

/** Not recursive: YAML aliases can make an object contain itself. */
function shown(version: unknown): string {
  return typeof version === "object" && version !== null ? "{…}" : JSON.stringify(version).slice(0, 40);
}

/**
 * Refuses a document that is too large or too deep. Values that are shared or contain themselves, as aliases of YAML
 * make them, count each time they are visited, because every later walk visits them that often.
 */
export function* checkSize(document: unknown, limits: DocumentLimits = LIMITS): Steps<DocumentFacts> {
  let values = 1;
  let hasWriteOnly = false;
  // Two lists instead of one of pairs: a record for each of millions of values would cost more than the look at it.
  const open: unknown[] = [document];
  const depths: number[] = [0];
  let countdown = STEP;
  while (open.length > 0) {
    if (--countdown === 0) {
      countdown = STEP;
      yield;
    }
    const value = open.pop();
    const depth = depths.pop() ?? 0;
    if (typeof value !== "object" || value === null) continue;
    if (depth > limits.maxDepth)
      throw new DocumentRefused(`The document is nested deeper than ${limits.maxDepth} levels.`);
    const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    hasWriteOnly ||= Object.hasOwn(value, "writeOnly");
    values += parts.length;
    for (const part of parts) {
      if (typeof part !== "object" || part === null) continue;
      open.push(part);
      depths.push(depth + 1);
    }
    if (values > limits.maxValues) {
      throw new DocumentRefused(
        `The document has more than ${limits.maxValues} values, once all its aliases are written out.`,
      );
    }
  }
  return { hasWriteOnly };
}
