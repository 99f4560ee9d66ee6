export { createSelector } from "./jmespath.ts";
export { createSchemaValidator, type ValidatorOptions } from "./json-schema/index.ts";
