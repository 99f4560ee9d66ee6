export { type Imported, importDocument } from "./import-document.ts";
export { ImportError, type ImportErrorCode } from "./import-error.ts";
export { createOpenapiSource, type OnSet, type OpenapiSource, type SourceHealth } from "./openapi-source.ts";
export {
  type ImportOptions,
  type LoadDocument,
  type LoadedDocument,
  type OpenapiSourceOptions,
  type OperationOverride,
  SECRETS,
} from "./options.ts";
export { headersOf, type RequestParts, toRequest, urlOf } from "./request.ts";
