export { estimateTokens } from "./estimate-tokens.ts";
export { EventTooLarge, readEvents, type ServerEvent } from "./event-stream.ts";
export { createSelector } from "./jmespath/selector.ts";
export { createSchemaValidator, LEFT_OUT, type SchemaDetail, shortenSchema } from "./json-schema/index.ts";
export {
  type ApiBody,
  type ApiDocument,
  type ApiError,
  type ApiOperation,
  type ApiParameter,
  type ApiWarning,
  BODY_KEY,
  type DocumentFiles,
  DocumentRefused,
  essenceOf,
  type FieldEncoding,
  filesNamedIn,
  isBytes,
  mediaKindOf,
  type ParameterStyle,
  readDocument,
  readingSteps,
  type SecurityScheme,
  safeName,
} from "./openapi/index.ts";
