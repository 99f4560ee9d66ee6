import type { InspectOptions } from "../source/index.ts";
import type { importDocument as ImportDocument } from "./import-document.ts";
import type { FoundAt } from "./inspect.ts";

export { MAX_DOCUMENT_BYTES } from "./options.ts";
export { OPENAPI_SOURCE } from "./source.ts";

/** Asks an address for a document, without parsing it yet. */
export async function findDocument(options: InspectOptions): Promise<FoundAt> {
  return (await import("./inspect.ts")).findDocument(options);
}

/** The operations of a document. */
export const importDocument: typeof ImportDocument = async (...given) =>
  (await import("./import-document.ts")).importDocument(...given);
