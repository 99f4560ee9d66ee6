export { documentHeadersOf } from "./document-headers.ts";
export { createDocumentLoader } from "./openapi-document.ts";
