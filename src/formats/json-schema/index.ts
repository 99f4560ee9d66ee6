export { HOLDS_LIST, HOLDS_NAMED, HOLDS_ONE } from "./document.ts";
export { LEFT_OUT, type SchemaDetail, shortenSchema } from "./shorten.ts";
export { createSchemaValidator } from "./validator.ts";
