export { createDocumentLoader, documentHeadersOf, MAX_DOCUMENT_BYTES } from "./document/index.ts";
export { type Imported, importDocument } from "./import-document.ts";
export { createOpenapiSource, type OpenapiSource } from "./openapi-source.ts";
export {
  type ImportOptions,
  type LoadDocument,
  type LoadedDocument,
  type OpenapiSourceOptions,
  SECRETS,
} from "./options.ts";
export { headersOf, type RequestParts, toRequest, urlOf } from "./request.ts";
