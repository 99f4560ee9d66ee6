export { createSchemaValidator, type ValidatorOptions } from "./validator.ts";
