export { LEFT_OUT, type SchemaDetail, shortenSchema } from "./shorten.ts";
export { createSchemaValidator, type ValidatorOptions } from "./validator.ts";
