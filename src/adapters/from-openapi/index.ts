export { type Imported, importDocument } from "./import-document.ts";
export { createOpenapiSource, type OpenapiSource } from "./openapi-source.ts";
export {
  type ImportOptions,
  keyNameOf,
  type LoadDocument,
  type LoadedDocument,
  type OpenapiSourceOptions,
  SECRETS,
} from "./options.ts";
export { headersOf, type RequestParts, toRequest, urlOf } from "./request.ts";
