export { documentHeadersOf } from "./document-headers.ts";
export { createDocumentLoader, MAX_DOCUMENT_BYTES } from "./openapi-document.ts";
